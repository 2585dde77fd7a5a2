// What the pages add when there is JavaScript; every page works without it.
"use strict";

const meta = (name) => document.querySelector(`meta[name="${name}"]`)?.content ?? "";
const isPoll = (element) => /\bevery\b/.test(element.getAttribute("hx-trigger") ?? "");

// Requests made by htmx carry the form token, as posted forms do.
document.addEventListener("htmx:configRequest", (event) => {
  event.detail.headers["X-CSRFToken"] = meta("csrf-token");
});

// Nobody looks at a hidden tab: its polls are dropped, and caught up with when it is shown again
// (a polling element names the event too: hx-trigger="every 3s, awake from:body").
document.addEventListener("htmx:beforeRequest", (event) => {
  if (document.hidden && isPoll(event.detail.elt)) event.preventDefault();
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) document.body.dispatchEvent(new CustomEvent("awake"));
});

// A poll never swaps what somebody is using: an open menu, a field being filled, marked text.
const inUse = (target) => {
  const selection = document.getSelection();
  return (
    target.querySelector("details.menu[open], input:checked") !== null ||
    (target.contains(document.activeElement) &&
      document.activeElement.matches("input, select, textarea")) ||
    (selection !== null && !selection.isCollapsed && target.contains(selection.anchorNode))
  );
};
document.addEventListener("htmx:beforeSwap", (event) => {
  if (isPoll(event.detail.requestConfig.elt) && inUse(event.detail.target)) {
    event.detail.shouldSwap = false;
  }
});

// A refusal stands where its form says; an error page that is a whole page is no part of this one.
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (detail.xhr.status >= 400 && /^\s*<!doctype/i.test(detail.xhr.responseText)) {
    detail.shouldSwap = false;
  }
});

// When the server cannot be reached, or answers that it cannot answer, the page says that it shows old facts.
const showCutOff = (isCutOff) => {
  const notice = document.getElementById("cut-off");
  if (notice) notice.hidden = !isCutOff;
};
for (const name of ["htmx:sendError", "htmx:timeout"]) {
  document.addEventListener(name, () => showCutOff(true));
}
document.addEventListener("htmx:afterOnLoad", ({ detail }) => showCutOff(detail.xhr.status >= 500));

// A form is sent once. Comfort only: the server refuses the second one by itself.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post" || form.hasAttribute("hx-post")) return;
  if (form.dataset.sent) {
    event.preventDefault();
    return;
  }
  form.dataset.sent = "yes";
  event.submitter?.setAttribute("aria-busy", "true");
});
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) {
    delete form.dataset.sent;
    form.querySelector("[aria-busy]")?.removeAttribute("aria-busy");
  }
});

// Menus close on Escape, and when something outside them is pressed or focused.
const closeMenus = (except) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(except)) menu.open = false;
  }
};
document.addEventListener("click", (event) => closeMenus(event.target));
document.addEventListener("focusin", (event) => closeMenus(event.target));
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const menu = document.activeElement?.closest("details.menu[open]");
  closeMenus(null);
  menu?.querySelector("summary").focus();
});

// Which parts of a long page were opened or closed is remembered for this visit.
const rememberAs = (details) => `open:${location.pathname}:${details.dataset.remember}`;
const restore = (root) => {
  for (const details of root.querySelectorAll("details[data-remember]")) {
    const state = sessionStorage.getItem(rememberAs(details));
    if (state !== null) details.open = state === "yes";
  }
};
document.addEventListener(
  "toggle",
  ({ target }) => {
    if (target.dataset?.remember) {
      sessionStorage.setItem(rememberAs(target), target.open ? "yes" : "no");
    }
  },
  true,
);
document.addEventListener("htmx:afterSettle", (event) => restore(event.detail.elt));

// Copy buttons appear only where copying can work.
const showCopies = (root) => {
  if (!navigator.clipboard) return;
  for (const button of root.querySelectorAll("button[data-copy]")) button.hidden = false;
};
document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  button.dataset.copied = "";
  setTimeout(() => delete button.dataset.copied, 1200);
});
document.addEventListener("htmx:afterSettle", (event) => showCopies(event.detail.elt));

restore(document);
showCopies(document);
