/** Letters of other alphabets' Latin forms as people write them without a keyboard for them: `größe` is `groesse`. */

const spelled: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  Ä: 'Ae',
  Ö: 'Oe',
  Ü: 'Ue',
  ß: 'ss',
  ẞ: 'SS',
  æ: 'ae',
  Æ: 'Ae',
  œ: 'oe',
  Œ: 'Oe',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'Th',
  ı: 'i',
};

/** Other letters lose their marks; what has no Latin form stays as it is. */
export const inAscii = (text: string): string =>
  text
    .normalize('NFC')
    .replace(/[^ -~]/g, (letter) => spelled[letter] ?? letter)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '');
