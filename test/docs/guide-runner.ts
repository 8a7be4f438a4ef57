import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { blocksOf } from '../../dev/docs/markdown.ts'

/**
 * Runs the code of a guide as its reader would: all `sh` blocks in one shell, each `ts` block as a program of its own. BASE and KEY are
 * set. A comment `# → 201, data.first_name = "Ana"` states what the curl before it received; a `json` block states its body, with "…" for
 * any value.
 */
export async function runGuide(text: string, env: Record<string, string>, prelude = ''): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'workspace-crm-guide-'))
  mkdirSync(join(dir, 'calls'))
  try {
    const { script, claims } = scriptOf(text, dir)
    const { code, output } = await run('bash', ['-c', `${RECORDER}\n${prelude}\n${script}`], dir, env)
    expect(code, output).toBe(0)
    for (const { call, claim } of claims) claim(readCall(join(dir, call)))
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

interface Received {
  status: number
  headers: string
  // biome-ignore lint/suspicious/noExplicitAny: guides look into bodies of every shape
  body: any
}
/** Blocks that are not run here: commands of an operator. test/dev/runbooks.test.ts names the test of each. */
const SHOWN = ['text', 'sql']

type Claim = { call: string; claim: (received: Received) => void }

/** `curl` of the guide is the real one; its last response is kept beside, even when it runs in $(…). */
const RECORDER = `set -euo pipefail
curl() {
  command curl --max-time 60 -sS -D last.head -o last.body "$@"
  cat last.body
}`

function scriptOf(text: string, dir: string): { script: string; claims: Claim[] } {
  const claims: Claim[] = []
  const lines: string[] = []
  const keep = (claim: Claim['claim']) => {
    const call = join('calls', String(claims.length))
    claims.push({ call, claim })
    lines.push(`cp last.head ${call}.head && cp last.body ${call}.body`)
  }
  for (const block of blocksOf(text)) {
    if (!('code' in block)) continue
    const { language, code } = block
    if (language === 'sh')
      for (const line of code.split('\n')) {
        lines.push(line)
        if (line.startsWith('# → ')) keep((received) => check(line.slice('# → '.length), received))
      }
    else if (language === 'json') keep(({ body }) => expect(body).toMatchObject(loosened(JSON.parse(code)) as object))
    else if (language === 'ts') {
      const file = `program-${lines.length}.ts`
      writeFileSync(join(dir, file), `const { BASE, KEY } = process.env as { BASE: string; KEY: string }\n${code}\nexport {}\n`)
      lines.push(`${JSON.stringify(process.execPath)} ${file} > program.out`)
    } else if (!SHOWN.includes(language)) throw new Error(`A code block of language "${language}" cannot be run`)
  }
  return { script: lines.join('\n'), claims }
}

/** `201`, `path = value`, `path.length = 2`, `path contains text`, `header Name`; several are separated by commas. */
function check(claims: string, { status, headers, body }: Received): void {
  for (const claim of claims.split(/, (?=[\w.]+ (?:=|contains)|header )/)) {
    const [, path, value] = /^([\w.]+) = (.+)$/.exec(claim) ?? []
    const [, list, part] = /^([\w.]+) contains (.+)$/.exec(claim) ?? []
    const shown = `${claim}: ${status} ${JSON.stringify(body).slice(0, 2000)}`
    if (/^\d{3}$/.test(claim)) expect(status, shown).toBe(Number(claim))
    else if (claim.startsWith('header ')) expect(headers.toLowerCase(), shown).toContain(claim.slice('header '.length).toLowerCase())
    else if (path) expect(at(body, path), shown).toEqual(JSON.parse(value as string))
    else if (list) expect(JSON.stringify(at(body, list)), shown).toContain(part)
    else throw new Error(`Not understood: # → ${claim}`)
  }
}

const at = (body: unknown, path: string) => path.split('.').reduce((value, step) => (value as Record<string, unknown>)?.[step], body)

function loosened(value: unknown): unknown {
  if (value === '…') return expect.anything()
  if (Array.isArray(value)) return value.map(loosened)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, loosened(one)]))
}

function readCall(path: string): Received {
  const headers = readFileSync(`${path}.head`, 'utf8')
  const text = readFileSync(`${path}.body`, 'utf8')
  const isJson = /content-type: application\/json/i.test(headers)
  return { status: Number(/HTTP\/\S+ (\d{3})(?![\s\S]*HTTP\/)/.exec(headers)?.[1]), headers, body: isJson ? JSON.parse(text) : text }
}

/** Runs a program, and returns what it printed. */
export function run(
  program: string,
  args: string[],
  cwd: string,
  env: Record<string, string>,
): Promise<{ code: number | null; output: string }> {
  return new Promise((done, failed) => {
    const child = spawn(program, args, { cwd, env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    child.on('error', failed)
    child.on('close', (code) => done({ code, output }))
  })
}
