/** How wide the fonts of the editor are, for texts that come without a size: there is no canvas to measure them on. */

/** The widths of the characters from space to tilde, in thousandths of the font size (test/browser/whiteboards.test.ts measures them). */
const EXCALIFONT = [
  400, 314, 371, 783, 721, 928, 718, 218, 441, 402, 525, 550, 257, 411, 274, 561, 664, 427, 700, 608, 585, 618, 640, 558, 636, 629, 264,
  298, 550, 550, 550, 466, 829, 676, 761, 629, 780, 707, 661, 780, 573, 545, 569, 613, 543, 766, 632, 767, 698, 768, 736, 622, 857, 730,
  592, 786, 628, 564, 832, 472, 589, 497, 510, 670, 600, 576, 555, 504, 605, 537, 497, 555, 567, 244, 328, 533, 225, 663, 526, 600, 537,
  539, 412, 543, 553, 548, 525, 693, 591, 530, 572, 504, 299, 544, 669,
]
const LIBERATION = [
  278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278,
  278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722,
  667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556,
  556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
]
const NUNITO = [
  261, 233, 405, 600, 600, 933, 701, 226, 326, 326, 451, 600, 233, 427, 233, 290, 600, 600, 600, 600, 600, 600, 600, 600, 600, 600, 233,
  233, 600, 600, 600, 447, 947, 733, 679, 675, 747, 586, 551, 729, 764, 262, 331, 634, 548, 858, 741, 771, 637, 771, 673, 618, 607, 731,
  694, 1104, 655, 601, 593, 324, 290, 324, 600, 500, 361, 533, 587, 465, 587, 534, 340, 590, 572, 237, 241, 508, 301, 861, 572, 560, 587,
  587, 365, 483, 358, 565, 518, 844, 530, 517, 466, 361, 270, 361, 600,
]

export const DEFAULT_FONT = 5
export const DEFAULT_FONT_SIZE = 20
const HEIGHTS: Record<number, number> = { 1: 1.25, 2: 1.15, 3: 1.2, 5: 1.25, 6: 1.35, 7: 1.15, 8: 1.25, 9: 1.15 }
const WIDTHS: Record<number, number[] | number> = { 2: LIBERATION, 3: 586, 6: NUNITO, 7: LIBERATION, 8: 550, 9: LIBERATION }
const FIRST = 32
/** Letters that the tables lack, and those that are as wide as they are high. */
const OTHER = 600
const FULL = 1000
const IS_FULL = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u
const IS_MARK = /\p{M}/u

/** The height of a line, as a multiple of the font size. */
export const lineHeightOf = (family: number): number => HEIGHTS[family] ?? 1.25

function charWidth(char: string, family: number): number {
  const widths = WIDTHS[family] ?? EXCALIFONT
  if (IS_MARK.test(char)) return 0
  if (IS_FULL.test(char)) return FULL
  return typeof widths === 'number' ? widths : (widths[(char.codePointAt(0) ?? 0) - FIRST] ?? OTHER)
}

type Font = { fontSize: number; fontFamily: number }

/** The width of a line of text. A letter with an accent is as wide as the letter. */
function lineWidth(line: string, { fontSize, fontFamily }: Font): number {
  let thousandths = 0
  for (const char of line.normalize('NFD')) thousandths += charWidth(char, fontFamily)
  return (thousandths * fontSize) / 1000
}

/** The size of a text. */
export function sizeOf(text: string, font: Font & { lineHeight: number }): { width: number; height: number } {
  const lines = text.split('\n')
  return {
    width: Math.max(...lines.map((line) => lineWidth(line || ' ', font))),
    height: lines.length * font.fontSize * font.lineHeight,
  }
}

/** Breaks lines at spaces, and words that are longer than a line anywhere. */
export const wrapText = (text: string, font: Font, maxWidth: number): string =>
  text
    .split('\n')
    .flatMap((line) => wrapLine(line, font, maxWidth))
    .join('\n')

function wrapLine(line: string, font: Font, maxWidth: number): string[] {
  const lines: string[] = []
  let current = ''
  const fits = (tried: string) => lineWidth(tried.trimEnd(), font) <= maxWidth
  const end = () => {
    if (current.trim() !== '') lines.push(current.trimEnd())
    current = ''
  }
  for (const word of line.match(/\S+\s*/g) ?? ['']) {
    if (!fits(current + word)) end()
    if (fits(word)) current += word
    else
      for (const char of word) {
        if (!fits(current + char)) end()
        current += char
      }
  }
  end()
  return lines.length > 0 ? lines : ['']
}
