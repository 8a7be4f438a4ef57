import { count } from './report.ts'
import type { Tally } from './send.ts'

export interface Output {
  isTTY?: boolean
  columns?: number
  write(text: string): unknown
}

/** Shows the progress: a bar on a terminal, otherwise a line for each step and for each quarter of a long one. */
export interface Progress {
  begin(what: string, total: number): void
  /** The number of records that remain to be sent. */
  expect(sends: number): void
  step(sends: number): void
  wait(seconds: number, why: string): void
  end(tally: Tally): void
  line(text: string): void
}

const WIDTH = 24
/** Steps with fewer records print no intermediate lines. */
const LONG = 1000

export function progressOn(output: Output): Progress {
  let what = ''
  let total = 0
  let expected = 0
  let sent = 0
  let note = ''

  const line = (text: string) => output.write(`${output.isTTY ? '\r\x1b[K' : ''}${text}\n`)
  const draw = () => {
    if (!output.isTTY || !what) return
    const share = expected === 0 ? 0 : Math.min(sent / expected, 1)
    const filled = Math.round(share * WIDTH)
    const bar =
      `${label(what)} ${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ` +
      `${expected === 0 ? 'comparing' : `${count(sent)} of ${count(expected)}`}${note}`
    // A line that wraps could not be overwritten.
    output.write(`\r\x1b[K${bar.slice(0, (output.columns || 80) - 1)}`)
  }
  const quarter = () => (expected < LONG ? 0 : Math.floor((sent / expected) * 4))

  return {
    line(text) {
      line(text)
      draw()
    },
    begin(name, all) {
      ;[what, total, expected, sent, note] = [name, all, 0, 0, '']
      draw()
    },
    expect(sends) {
      expected += sends
      draw()
    },
    step(sends) {
      const before = quarter()
      sent += sends
      note = ''
      if (!output.isTTY && quarter() > before && sent < expected) line(`${label(what)} ${count(sent)} of ${count(expected)}`)
      draw()
    },
    wait(seconds, why) {
      const before = note
      note = `, waits ${Math.ceil(seconds)} s: ${why}`
      // Concurrent requests wait at the same time, so the pause is reported once.
      if (!output.isTTY && seconds >= 1 && note !== before) line(`${label(what || 'Waiting')}${note.slice(1)}`)
      draw()
    },
    end(tally) {
      const name = what
      what = ''
      line(`${label(name)} ${inWords(tally, total)}`)
    },
  }
}

const label = (what: string) => what.padEnd(14)

/** `85 created`, or `3 changed, 82 as they were`. */
export function inWords({ created, moved, changed, refused }: Tally, total: number): string {
  const same = Math.max(total - created - moved - changed - refused, 0)
  const parts = [
    [created, 'created'],
    [moved, 'moved'],
    [changed, 'changed'],
    [refused, 'refused'],
    [same, total === 1 ? 'as it was' : 'as they were'],
  ] as const
  return parts.flatMap(([number, word]) => (number > 0 ? `${count(number)} ${word}` : [])).join(', ') || 'nothing to do'
}
