// Runs in the worker after wasm-bindgen's glue. The first message is the compiled module, kept by the page so that a
// worker can be started again without the network.
onmessage = (event) => {
  onmessage = null;
  wasm_bindgen({ module_or_path: event.data });
};
// A trap inside a promise would be silent; an uncaught error reaches the page's `onerror`.
addEventListener("unhandledrejection", (event) => {
  setTimeout(() => { throw new Error("the engine stopped"); });
  event.preventDefault();
});
