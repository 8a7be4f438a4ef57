import { describe, expect, test } from 'vitest'
import { replaceSection } from '../../src/features/notepads/rules/notepad-sections.ts'

const PAD = [
  '---',
  '# Kick-off   ',
  '',
  'Intro with  two spaces\t',
  '',
  '```sh',
  '# Open points',
  '```',
  '',
  '## Open points',
  '',
  '- Access',
  '',
  '',
  'Budget *and* `time`',
  '-------------------',
  'Later.',
  '# Kick-off two',
  '',
].join('\n')

const contentOf = (content: string, path: string[], body: string) => {
  const result = replaceSection(content, path, body)
  return 'content' in result ? result.content : result
}

describe('a section', () => {
  test('is replaced, and every other character stays', () => {
    expect(contentOf(PAD, ['Kick-off', 'Open points'], '- None\n')).toBe(PAD.replace('- Access', '- None'))
    expect(contentOf(PAD, ['Budget and time'], 'Now.')).toBe(PAD.replace('Later.', 'Now.'))
    expect(contentOf(PAD, ['Kick-off two'], 'The end')).toBe(`${PAD}The end\n`)
  })

  test('includes the sections below it', () => {
    expect(contentOf('# A\none\n## B\ntwo\n# C\n', ['A'], 'new')).toBe('# A\nnew\n# C\n')
    expect(contentOf('# A\none\n## B\ntwo\n# C\n', ['A'], 'new\n\n## D\n\nthree')).toBe('# A\nnew\n\n## D\n\nthree\n# C\n')
  })

  test('keeps the line breaks of Windows, and a byte order mark', () => {
    expect(contentOf('\uFEFF# A\r\n\r\none\r\n\r\n# B\r\ntwo', ['A'], 'new')).toBe('\uFEFF# A\r\n\r\nnew\r\n\r\n# B\r\ntwo')
    expect(contentOf('# A\r\n# B\r\n', ['A'], 'new')).toBe('# A\r\nnew\r\n\r\n# B\r\n')
  })

  test('that is empty gets its text below the heading', () => {
    expect(contentOf('# A', ['A'], 'new')).toBe('# A\nnew')
    expect(contentOf('# A\n', ['A'], 'new')).toBe('# A\nnew\n')
    expect(contentOf('# A\nB\n===\n', ['A'], 'new')).toBe('# A\nnew\n\nB\n===\n')
    expect(contentOf('# A\n\n# B\n', ['A'], '')).toBe('# A\n\n# B\n')
  })

  test('can be emptied', () => {
    expect(contentOf('# A\n\none\n\n# B\n', ['A'], '  \n')).toBe('# A\n\n\n\n# B\n')
  })
})

describe('a path', () => {
  test.each([
    ['a code fence', '# A\n~~~\n# B\n~~~\n', ['B']],
    ['indented code', '# A\n\n    # B\n', ['B']],
    ['a quotation', '# A\n\n> # B\n', ['B']],
    ['a list', '# A\n\n- # B\n', ['B']],
    ['a comment', '# A\n\n<!--\n# B\n-->\n', ['B']],
  ])('finds no heading within %s', (_, content, path) => {
    expect(replaceSection(content, path, 'x')).toEqual({ fault: 'unknown', paths: [['A']] })
  })

  test('of several sections is ambiguous, until it names those above', () => {
    const twice = '# A\n## Notes\none\n# B\n## Notes\ntwo\n'
    expect(replaceSection(twice, ['Notes'], 'x')).toEqual({
      fault: 'ambiguous',
      paths: [
        ['A', 'Notes'],
        ['B', 'Notes'],
      ],
    })
    expect(contentOf(twice, ['B', 'Notes'], 'x')).toBe('# A\n## Notes\none\n# B\n## Notes\nx\n')
    expect(replaceSection('# A\n# A\n', ['A'], 'x')).toMatchObject({ fault: 'ambiguous' })
  })

  test('has the plain text of headings', () => {
    expect(contentOf('# The **[plan](https://example.com)** &amp; `code`\nold\n', ['The plan & code'], 'new')).toContain('new')
  })
})

describe('text is refused', () => {
  test.each([
    ['with a heading of the level of the section', '## Open points\n- x', { fault: 'escapes', level: 2 }],
    ['that leaves a code fence open', '```\ncode', { fault: 'broken' }],
    ['that leaves a comment open', '<!-- x', { fault: 'broken' }],
  ])('%s', (_, body, fault) => {
    expect(replaceSection(PAD, ['Open points'], body)).toEqual(fault)
  })
})

test('a megabyte of headings takes less than some seconds', () => {
  const part = '## Heading\n\nSome *text* with [link](http://a.b) and `code`.\n\n- one\n\n```js\n# none\n```\n\n'
  const long = `# Only\nold\n${part.repeat(12_000)}`
  const began = performance.now()
  expect(contentOf(long, ['Only'], 'new')).toBe('# Only\nnew\n\n')
  expect(replaceSection(long, ['Heading'], 'x')).toMatchObject({ fault: 'ambiguous' })
  expect(performance.now() - began).toBeLessThan(10_000)
})
