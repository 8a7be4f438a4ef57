import { expect, test } from 'vitest'
import { dispositionOf } from '../../src/domain/file-names.ts'

/** Names and paths as senders of emails and uploads write them. */
const PARTS = [
  'a.pdf',
  '..',
  '.',
  '',
  'C:',
  '~',
  'x"y',
  "it's",
  'é',
  '😀',
  'a;b',
  'a%2Fb',
  '\u202efdp.exe',
  '\ud800',
  '\u0000',
  '\r\nSet-Cookie: a=b',
]

/** Both names of a header, read as RFC 6266 and RFC 8187 say. */
function read(header: string): [plain: string, full: string] {
  const [, plain, full] = /^attachment; filename="([^"\\]*)"; filename\*=UTF-8''([\w!#$&+.^`|~%-]+)$/.exec(header) ?? []
  return [plain ?? 'not a header', decodeURIComponent(full ?? '/')]
}

test('whatever a file is called, its header has two names of one line, and neither has a path', () => {
  for (const separator of ['/', '\\', '\\..\\', '/../'])
    for (const first of PARTS)
      for (const last of PARTS) {
        const header = dispositionOf(first + separator + last)
        for (const name of read(header)) {
          expect(name, header).not.toMatch(/[\\/\p{Cc}]|^\.*$/u)
          expect(name, header).not.toBe('not a header')
        }
      }
  expect(read(dispositionOf('../../etc/Quote für März.pdf'))).toEqual(['Quote f_r M_rz.pdf', 'Quote für März.pdf'])
})
