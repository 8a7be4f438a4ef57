import { describe, expect, test } from 'vitest'
import { type CardType, urlFault, videoIdOf } from '../../src/features/training/rules/training.ts'

const VIDEO = 'dQw4w9WgXcQ'
describe('an address of YouTube', () => {
  test.each([
    `https://www.youtube.com/watch?v=${VIDEO}`,
    `https://youtube.com/watch?list=x&v=${VIDEO}&t=10s`,
    `https://youtu.be/${VIDEO}?si=x`,
    `https://m.youtube.com/shorts/${VIDEO}`,
    `https://www.youtube.com/live/${VIDEO}`,
    `https://www.youtube-nocookie.com/embed/${VIDEO}`,
  ])('%s', (address) => expect(videoIdOf(address)).toBe(VIDEO))

  test.each([
    `https://youtube.com.evil.example/watch?v=${VIDEO}`,
    `https://vimeo.com/${VIDEO}`,
    `https://evil.example/https://youtu.be/${VIDEO}`,
    `https://youtube.com@evil.example/watch?v=${VIDEO}`,
    `https://user@youtube.com/watch?v=${VIDEO}`,
    'https://www.youtube.com/watch?v=short',
    'https://www.youtube.com/@channel',
    `javascript:alert("https://youtu.be/${VIDEO}")`,
    VIDEO,
  ])('is not %s', (address) => expect(videoIdOf(address)).toBeUndefined())
})

test.each<[CardType, string]>([
  ['link', 'javascript:alert(1)'],
  ['link', 'data:text/html,x'],
  ['link', '/docs'],
  ['link', 'ftp://example.com'],
  ['html_embed', 'http://example.com'],
  ['html_embed', 'javascript:alert(1)'],
  ['html_embed', '<iframe src="https://example.com">'],
  ['notepad', 'https://example.com'],
  ['file', 'x'],
])('a card of the type %s does not show %s', (type, url) => expect(urlFault(type, url)).toMatch(/^must be/))

test.each<[CardType, string]>([
  ['link', 'http://example.com/a?b=c#d'],
  ['html_embed', 'https://example.com/embed'],
])('a card of the type %s shows %s', (type, url) => expect(urlFault(type, url)).toBeUndefined())
