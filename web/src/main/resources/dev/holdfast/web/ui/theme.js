// Runs before the first paint, so that the page never flashes in the wrong colours.
// Not a module: modules run after the paint.
(() => {
  const KEY = "holdfast.theme";
  const root = document.documentElement;

  function chosen() {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null; // storage may be disabled: use the system setting
    }
  }

  function show(theme) {
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    else delete root.dataset.theme;
  }

  window.holdfastTheme = {
    /** @returns {boolean} whether the page is dark now, by choice or by the system */
    isDark() {
      return root.dataset.theme
        ? root.dataset.theme === "dark"
        : matchMedia("(prefers-color-scheme: dark)").matches;
    },
    toggle() {
      const next = this.isDark() ? "light" : "dark";
      show(next);
      try {
        localStorage.setItem(KEY, next);
      } catch {
        // kept until the page is closed
      }
    },
  };
  show(chosen());
})();
