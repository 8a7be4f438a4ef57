import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { blocksOf } from '../../dev/docs/markdown.ts'
import { root } from '../../dev/settings.ts'

export const guide = readFileSync(join(root, 'guides/operating.md'), 'utf8')

type Block = ReturnType<typeof blocksOf>[number]

/** The blocks of the guide below each of its headings. */
const sections = new Map<string, Block[]>()
let heading = ''
for (const block of blocksOf(guide)) {
  const [, found] = ('lines' in block && /^## (.+)$/.exec(block.lines[0] ?? '')) || []
  heading = found ?? heading
  sections.set(heading, [...(sections.get(heading) ?? []), block])
}

export { sections }

export const blocksBelow = (title: string): Block[] => {
  const found = sections.get(title)
  if (!found) throw new Error(`guides/operating.md has no section "${title}"`)
  return found
}

/** The first code of a language below a heading. */
export const codeBelow = (title: string, language: string): string =>
  blocksBelow(title)
    .flatMap((block) => ('code' in block && block.language === language ? [block.code] : []))
    .at(0) ?? ''

/** The rows of the tables below a heading, as the text of each cell. */
export const rowsBelow = (title: string): string[][] =>
  blocksBelow(title).flatMap((block) =>
    'lines' in block && block.lines[0]?.startsWith('|')
      ? block.lines.slice(2).map((line) =>
          line
            .split('|')
            .slice(1, -1)
            .map((cell) => cell.trim()),
        )
      : [],
  )

const PROGRAMS = /(?:^|[\s(])(?:npm|npx|pg_dump|pg_restore|rclone)(?:\s|$)/

/** The commands below a heading: those in text, and those of the code blocks, one for each statement of the shell. */
export const commandsBelow = (title: string): string[] =>
  blocksBelow(title).flatMap((block) => {
    if ('code' in block)
      return block.language === 'sql'
        ? []
        : block.code
            .replaceAll(/\\\n\s*/g, '')
            .split('\n')
            .filter((line) => PROGRAMS.test(line))
    return [...block.lines.join('\n').matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) => (PROGRAMS.test(code) ? [code] : []))
  })

/** The row of a secret in the table of rotations. */
export function rotationOf(secret: string): { before: string; afterwards: string } {
  const [, before, afterwards] = rowsBelow('Rotate secrets').find(([name]) => name === `\`${secret}\``) ?? []
  if (before === undefined || afterwards === undefined) throw new Error(`guides/operating.md does not say how ${secret} is rotated`)
  return { before, afterwards }
}
