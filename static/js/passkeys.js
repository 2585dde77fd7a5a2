// Passkeys: shows their forms, hands them to allauth's script, and says in words what went wrong.
"use strict";

const ways = {
  loginForm: (form) => ({ login: "passkey", credential: form.elements.credential.id }),
  authenticateForm: (form) => ({ authenticate: "passkey", credential: form.elements.credential.id, data: "js_data" }),
  addForm: (form) => ({
    add: "passkey",
    passwordless: form.elements.passwordless?.id,
    credential: form.elements.credential.id,
    data: "js_data",
  }),
};

for (const form of document.querySelectorAll("form[data-passkey]")) {
  if (!window.webauthnJSON?.supported()) break;
  document.getElementById("passkey-needs")?.remove();
  form.hidden = false;
  const way = form.dataset.passkey;
  window.allauth.webauthn.forms[way]({ ids: ways[way](form) });
}

document.addEventListener("allauth.error", (event) => {
  event.preventDefault();
  const said = document.getElementById("passkey-said");
  if (!said) return;
  const name = event.detail.exception?.name;
  said.textContent =
    name === "InvalidStateError"
      ? said.dataset.known
      : name === "NotAllowedError"
        ? said.dataset.cancelled
        : said.dataset.failed;
  said.hidden = false;
});
