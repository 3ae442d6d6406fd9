//! Saving a file to the person's disk, without any server.

use js_sys::{Array, Uint8Array};
use wasm_bindgen::prelude::*;
use web_sys::{Blob, BlobPropertyBag, File, HtmlAnchorElement, Url};

pub fn blob(media_type: &str, bytes: &[u8]) -> Result<Blob, JsValue> {
    let options = BlobPropertyBag::new();
    options.set_type(media_type);
    let parts = Array::of1(&Uint8Array::from(bytes));
    Blob::new_with_u8_array_sequence_and_options(&parts, &options)
}

/// Offers a blob as a download, and gives it as the file that it becomes.
pub fn offer(name: &str, blob: &Blob) -> Result<File, JsValue> {
    let file = File::new_with_blob_sequence(&Array::of1(blob), name)?;
    let url = Url::create_object_url_with_blob(blob)?;
    let document = web_sys::window().and_then(|window| window.document()).ok_or(JsValue::NULL)?;
    let anchor: HtmlAnchorElement = document.create_element("a")?.unchecked_into();
    anchor.set_href(&url);
    anchor.set_download(name);
    anchor.click();
    // The click has taken its own hold of the blob.
    Url::revoke_object_url(&url)?;
    Ok(file)
}
