//! Text encodings a spreadsheet or a hospital system may have written.

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

    /// Whether these first bytes of a file can be in this encoding.
    pub fn fits(self, sample: &[u8]) -> bool {
        let guess = Encoding::guess(sample);
        // ASCII is both.
        guess == self || (self == Encoding::Windows1252 && guess == Encoding::Utf8 && sample.is_ascii())
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

/// What Windows-1252 has between its ASCII and its Latin-1 half; the rest are the characters of their numbers.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Turns pieces of a file into UTF-8. UTF-8 itself passes through unchecked: the dictionary checks each value once.
///
/// By the Encoding Standard. A crate for all of its encodings would bring a large part of the worker's bytes in tables of
/// which nothing is used; tests compare with it.
pub struct Transcoder {
    encoding: Encoding,
    /// The first byte of a unit of UTF-16 whose other one is in the next piece.
    half: Option<u8>,
    /// The first half of a pair of surrogates.
    lead: Option<u16>,
    /// Characters that could not be read and became U+FFFD (not for UTF-8).
    pub replaced: u64,
}

impl Transcoder {
    pub fn new(encoding: Encoding) -> Self {
        Transcoder { encoding, half: None, lead: None, replaced: 0 }
    }

    /// Makes UTF-8 of the next piece of the file, which is in `text` from `from` on; `last` when nothing follows it.
    pub fn decode(&mut self, text: &mut Vec<u8>, from: usize, last: bool) {
        let unit = match self.encoding {
            Encoding::Utf8 => return,
            Encoding::Utf16le => u16::from_le_bytes,
            Encoding::Utf16be => u16::from_be_bytes,
            Encoding::Windows1252 => {
                let piece = text.split_off(from);
                text.reserve(piece.len());
                for byte in piece {
                    match byte {
                        0..0x80 => text.push(byte),
                        0x80..0xA0 => push(text, WINDOWS_1252[usize::from(byte - 0x80)]),
                        byte => push(text, char::from(byte)),
                    }
                }
                return;
            }
        };
        let piece = text.split_off(from);
        text.reserve(piece.len());
        for byte in piece {
            match self.half.take() {
                None => self.half = Some(byte),
                Some(first) => self.take(unit([first, byte]), text),
            }
        }
        if last && (self.half.take().is_some() | self.lead.take().is_some()) {
            self.replace(text);
        }
    }

    /// Takes the next unit of UTF-16.
    fn take(&mut self, unit: u16, text: &mut Vec<u8>) {
        if let Some(lead) = self.lead.take() {
            if let Some(Ok(character)) = char::decode_utf16([lead, unit]).next() {
                return push(text, character);
            }
            self.replace(text);
        }
        match unit {
            0xD800..0xDC00 => self.lead = Some(unit),
            _ => match char::from_u32(u32::from(unit)) {
                Some(character) => push(text, character),
                None => self.replace(text),
            },
        }
    }

    fn replace(&mut self, text: &mut Vec<u8>) {
        self.replaced += 1;
        push(text, char::REPLACEMENT_CHARACTER);
    }
}

fn push(text: &mut Vec<u8>, character: char) {
    text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
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

    /// Any bytes in any pieces, as a decoder of the whole standard reads them.
    #[test]
    fn decodes_as_the_standard_says() {
        let mut state = 7_u64;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        // Surrogates, halves of them and ASCII are frequent.
        let bytes = [0xD8, 0xDB, 0xDC, 0xDF, 0x00, 0x41, 0x80, 0x9D, 0xFF, 0xFE];
        let cases = [
            (Encoding::Utf16le, encoding_rs::UTF_16LE),
            (Encoding::Utf16be, encoding_rs::UTF_16BE),
            (Encoding::Windows1252, encoding_rs::WINDOWS_1252),
        ];
        for (encoding, standard) in cases {
            for _ in 0..20_000 {
                let length = next(12) as usize;
                let whole: Vec<u8> =
                    (0..length).map(|_| bytes.get(next(14) as usize).copied().unwrap_or(next(256) as u8)).collect();
                let cut = next(length as u64 + 1) as usize;
                let mut transcoder = Transcoder::new(encoding);
                let mut decoded = whole[..cut].to_vec();
                transcoder.decode(&mut decoded, 0, false);
                let from = decoded.len();
                decoded.extend_from_slice(&whole[cut..]);
                transcoder.decode(&mut decoded, from, true);
                let (expected, _) = standard.decode_without_bom_handling(&whole);
                assert_eq!(String::from_utf8(decoded).unwrap(), expected, "{whole:?} in two at {cut}");
                assert_eq!(
                    transcoder.replaced,
                    expected.matches('\u{FFFD}').count() as u64 - unit_fffd(encoding, &whole)
                );
            }
        }
    }

    /// How often U+FFFD itself is in the text.
    fn unit_fffd(encoding: Encoding, whole: &[u8]) -> u64 {
        let is = |pair: &[u8]| match encoding {
            Encoding::Utf16le => pair == [0xFD, 0xFF],
            Encoding::Utf16be => pair == [0xFF, 0xFD],
            _ => false,
        };
        whole.chunks(2).filter(|pair| is(pair)).count() as u64
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
