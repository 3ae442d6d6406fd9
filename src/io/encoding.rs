//! Text encodings a spreadsheet or a hospital system may have written.

use encoding_rs::{Decoder, DecoderResult, UTF_16BE, UTF_16LE, WINDOWS_1252};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Encoding {
    Utf8,
    Utf16le,
    Utf16be,
    /// Also stands for Latin-1, of which it is a superset in practice.
    Windows1252,
}

impl Encoding {
    pub const ALL: [Encoding; 4] = [Encoding::Utf8, Encoding::Utf16le, Encoding::Utf16be, Encoding::Windows1252];

    pub fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 => "UTF-8",
            Encoding::Utf16le => "UTF-16 (little endian)",
            Encoding::Utf16be => "UTF-16 (big endian)",
            Encoding::Windows1252 => "Windows-1252 / Latin-1",
        }
    }

    /// The byte-order mark's encoding and length.
    pub fn of_mark(bytes: &[u8]) -> Option<(Encoding, usize)> {
        match bytes {
            [0xEF, 0xBB, 0xBF, ..] => Some((Encoding::Utf8, 3)),
            [0xFF, 0xFE, ..] => Some((Encoding::Utf16le, 2)),
            [0xFE, 0xFF, ..] => Some((Encoding::Utf16be, 2)),
            _ => None,
        }
    }

    /// Length of this encoding's byte-order mark at the beginning of `bytes`; 0 when there is none.
    pub fn mark_length(self, bytes: &[u8]) -> usize {
        Encoding::of_mark(bytes).filter(|&(encoding, _)| encoding == self).map_or(0, |(_, length)| length)
    }

    /// The encoding these first bytes of a file are most likely in.
    pub fn guess(sample: &[u8]) -> Encoding {
        if let Some((encoding, _)) = Encoding::of_mark(sample) {
            return encoding;
        }
        // Western text in UTF-16 has a zero in nearly every second place.
        let zeros = |from: usize| sample.iter().skip(from).step_by(2).filter(|&&byte| byte == 0).count() * 2;
        let (even, odd) = (zeros(0), zeros(1));
        if odd > sample.len() / 2 && even <= sample.len() / 10 {
            return Encoding::Utf16le;
        }
        if even > sample.len() / 2 && odd <= sample.len() / 10 {
            return Encoding::Utf16be;
        }
        match std::str::from_utf8(sample) {
            Ok(_) => Encoding::Utf8,
            // A sample may end inside a character.
            Err(error) if error.error_len().is_none() => Encoding::Utf8,
            Err(_) => Encoding::Windows1252,
        }
    }
}

/// Turns pieces of a file into UTF-8. UTF-8 itself passes through unchecked: the dictionary checks each value once.
pub struct Transcoder {
    decoder: Option<Decoder>,
    /// Characters that could not be read and became U+FFFD (not for UTF-8).
    pub replaced: u64,
}

impl Transcoder {
    pub fn new(encoding: Encoding) -> Self {
        let decoder = match encoding {
            Encoding::Utf8 => None,
            Encoding::Utf16le => Some(UTF_16LE.new_decoder_without_bom_handling()),
            Encoding::Utf16be => Some(UTF_16BE.new_decoder_without_bom_handling()),
            Encoding::Windows1252 => Some(WINDOWS_1252.new_decoder_without_bom_handling()),
        };
        Transcoder { decoder, replaced: 0 }
    }

    /// Makes UTF-8 of the next piece of the file, which is in `text` from `from` on; `last` when nothing follows it.
    pub fn decode(&mut self, text: &mut Vec<u8>, from: usize, last: bool) {
        let Some(decoder) = &mut self.decoder else { return };
        const REPLACEMENT: &[u8] = "\u{FFFD}".as_bytes();
        let piece = text.split_off(from);
        let mut read = 0;
        let mut length = text.len();
        text.resize(length + piece.len() * 2 + 16, 0);
        loop {
            let (result, more, wrote) =
                decoder.decode_to_utf8_without_replacement(&piece[read..], &mut text[length..], last);
            read += more;
            length += wrote;
            if let DecoderResult::Malformed(..) = result {
                self.replaced += 1;
                text.resize(text.len().max(length + REPLACEMENT.len()), 0);
                text[length..length + REPLACEMENT.len()].copy_from_slice(REPLACEMENT);
                length += REPLACEMENT.len();
            } else if result == DecoderResult::OutputFull {
                text.resize(length + (piece.len() - read) * 2 + 64, 0);
            } else {
                text.truncate(length);
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_split_anywhere_decode_as_the_whole() {
        let text = "naïve,Zürich,😀\n";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        for cut in 0..little.len() {
            let mut transcoder = Transcoder::new(Encoding::Utf16le);
            let mut out = little[..cut].to_vec();
            transcoder.decode(&mut out, 0, false);
            let decoded = out.len();
            out.extend(&little[cut..]);
            transcoder.decode(&mut out, decoded, true);
            assert_eq!(String::from_utf8(out).unwrap(), text);
            assert_eq!(transcoder.replaced, 0);
        }
    }

    #[test]
    fn guesses() {
        assert_eq!(Encoding::guess("é".as_bytes()), Encoding::Utf8);
        assert_eq!(Encoding::guess(&"é".as_bytes()[..1]), Encoding::Utf8);
        assert_eq!(Encoding::guess(b"Z\xfcrich,1\n"), Encoding::Windows1252);
        assert_eq!(Encoding::guess(b"a\0,\0b\0\n\0"), Encoding::Utf16le);
        assert_eq!(Encoding::guess(b"\0a\0,\0b\0\n"), Encoding::Utf16be);
    }
}
