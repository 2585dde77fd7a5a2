// The theme switch: as the system says, light, or dark. Kept in a cookie, so that the server
// renders the right theme at once and no page flashes.
"use strict";

const root = document.documentElement;
const themes = document.querySelector("[data-themes]");

const press = (theme) => {
  for (const button of themes.querySelectorAll("button")) {
    button.setAttribute("aria-pressed", String(button.value === theme));
  }
};

const choose = (theme) => {
  const secure = location.protocol === "https:" ? "; secure" : "";
  const age = theme === "" ? 0 : 31536000;
  document.cookie = `theme=${theme}; path=/; max-age=${age}; samesite=lax${secure}`;
  if (theme === "") delete root.dataset.theme;
  else root.dataset.theme = theme;
  press(theme);
};

if (themes) {
  themes.hidden = false;
  press(root.dataset.theme ?? "");
  themes.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) choose(button.value);
  });
}
