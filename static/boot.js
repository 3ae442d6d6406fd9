// Before the first paint: the theme a person chose. Then the page itself.
try {
  const theme = JSON.parse(localStorage.getItem("throng.theme"));
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // No storage, no stored theme.
}
addEventListener("DOMContentLoaded", async () => {
  try {
    const app = await import("./app.js");
    await app.default({ module_or_path: "app_bg.wasm" });
  } catch {
    document.querySelector(".boot").textContent =
      "Throng could not start: this browser lacks WebAssembly (with SIMD), or the page was not served completely. Try reloading, or a current Firefox, Chrome, Edge or Safari.";
  }
});
