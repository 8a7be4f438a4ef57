import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import type { Browser, Tab } from '../../bench/chromium.ts'

const KEYS: Record<string, { key: string; code: string; windowsVirtualKeyCode: number; text?: string }> = {
  Tab: { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 },
  Enter: { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, text: '\r' },
  Space: { key: ' ', code: 'Space', windowsVirtualKeyCode: 32, text: ' ' },
  ArrowRight: { key: 'ArrowRight', code: 'ArrowRight', windowsVirtualKeyCode: 39 },
  ArrowDown: { key: 'ArrowDown', code: 'ArrowDown', windowsVirtualKeyCode: 40 },
}
const MOST_TABS = 150
const PATIENCE_MS = 15_000
const NEEDS_A_NAME = ['button', 'link', 'textbox', 'searchbox', 'combobox', 'checkbox', 'radio', 'switch', 'tab', 'Iframe', 'img']

type Node = { role?: { value: string }; name?: { value: string }; ignored: boolean; backendDOMNodeId?: number }

/** Somebody who has a keyboard only. */
export interface Reader {
  tab: Tab
  /** Addresses of other hosts that the page has asked for, and errors that it has reported. */
  foreign: string[]
  problems: string[]
  open(url: string): Promise<void>
  press(key: keyof typeof KEYS): Promise<void>
  /** Goes on by Tab until what is named so has the focus, which must be seen. */
  goTo(name: RegExp): Promise<void>
  /** Goes to what is named so, and presses Enter. */
  follow(name: RegExp): Promise<void>
  /** Goes to the field, and replaces what is in it. */
  write(name: RegExp, text: string): Promise<void>
  /** Waits until the page shows the text. */
  sees(text: string): Promise<void>
  misses(text: string): Promise<void>
  text(): Promise<string>
  /** What holds for every page: nothing is wider than the screen, everything that can be used has a name, and axe finds nothing. */
  check(): Promise<void>
}

/** Opens a tab for the rest of the test. Each follows the changes of its page, and a browser has six connections to a host. */
export async function newReader(browser: Browser, { width = 360, height = 740, scripts = true, dark = false } = {}): Promise<Reader> {
  const tab = await browser.tab({ width, height })
  onTestFinished(() => tab.close())
  const [foreign, problems]: [string[], string[]] = [[], []]
  let host = ''
  tab.on('Network.requestWillBeSent', ({ request }) => {
    const { protocol, host: target } = new URL(request.url)
    if (protocol.startsWith('http') && target !== host) foreign.push(request.url)
  })
  tab.on('Runtime.exceptionThrown', ({ exceptionDetails }) =>
    problems.push(exceptionDetails.exception?.description ?? exceptionDetails.text),
  )
  await tab.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }] })
  if (!scripts) await tab.send('Emulation.setScriptExecutionDisabled', { value: true })
  await tab.send('Accessibility.enable')

  const until = async (what: string, holds: () => Promise<boolean>) => {
    for (const end = Date.now() + PATIENCE_MS; !(await holds().catch(() => false)); await sleep(25))
      if (Date.now() > end) throw new Error(`Waited in vain for ${what} at ${await tab.evaluate('location.href')}:\n${await reader.text()}`)
  }
  const press = async (key: keyof typeof KEYS) => {
    await tab.send('Input.dispatchKeyEvent', { type: 'keyDown', ...KEYS[key] })
    await tab.send('Input.dispatchKeyEvent', { type: 'keyUp', ...KEYS[key] })
  }
  /** The name that assistive technology gives what has the focus. */
  const focused = async (): Promise<string> => {
    const { result } = await tab.send('Runtime.evaluate', { expression: 'document.activeElement' })
    const { nodes } = await tab.send('Accessibility.getPartialAXTree', { objectId: result.objectId, fetchRelatives: false })
    return (nodes as Node[])[0]?.name?.value ?? ''
  }
  const reader: Reader = {
    tab,
    foreign,
    problems,
    press,
    async open(url) {
      host = new URL(url).host
      await tab.send('Page.navigate', { url })
      await until(url, () => tab.evaluate<boolean>(`location.href === ${JSON.stringify(url)} && document.readyState === 'complete'`))
    },
    async goTo(name) {
      const passed: string[] = []
      for (let n = 0; n < MOST_TABS; n++) {
        const now = await focused()
        if (name.test(now)) return expect(await tab.evaluate(IS_OUTLINED), `the focus on ${now} is seen`).toBe(true)
        passed.push(now)
        await press('Tab')
      }
      throw new Error(`No ${name} among ${[...new Set(passed)].join(', ')}`)
    },
    async follow(name) {
      await reader.goTo(name)
      await press('Enter')
    },
    async write(name, text) {
      await reader.goTo(name)
      // As Ctrl-A does it: what is there is replaced.
      await tab.send('Input.dispatchKeyEvent', { type: 'keyDown', commands: ['selectAll'] })
      await tab.send('Input.insertText', { text })
    },
    sees: (text) => until(`"${text}"`, async () => (await reader.text()).includes(text)),
    misses: (text) => until(`no "${text}"`, async () => !(await reader.text()).includes(text)),
    text: () => tab.evaluate<string>('document.body.innerText'),
    async check() {
      expect(await tab.evaluate('document.documentElement.scrollWidth - innerWidth'), 'pixels beyond the screen').toBeLessThanOrEqual(0)
      const { nodes } = await tab.send('Accessibility.getFullAXTree')
      const nameless = (nodes as Node[]).filter(
        ({ ignored, role, name }) => !ignored && NEEDS_A_NAME.includes(role?.value ?? '') && !name?.value,
      )
      expect(nameless.map(({ role }) => role?.value)).toEqual([])
      expect(problems).toEqual([])
      expect(foreign).toEqual([])
      if (scripts) expect(await violations(tab), 'violations of WCAG 2.2 AA').toEqual([])
    },
  }
  return reader
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** What axe finds on the page: the rule and the elements. */
async function violations(tab: Tab): Promise<string[]> {
  await tab.evaluate(`${AXE}; undefined`)
  return tab.evaluate(`axe.run(document, { runOnly: ${JSON.stringify(RULES)} })
    .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ').slice(0, 300)))`)
}

const IS_OUTLINED = `(() => {
  const style = getComputedStyle(document.activeElement)
  return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0
})()`
