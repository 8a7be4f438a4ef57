import { createContext, runInContext } from 'node:vm'
import { build } from 'esbuild'
import type { Element } from '../../../src/features/whiteboards/rules/elements.ts'
import { EDITOR, installEditor } from '../../clients/install.ts'

type Restore = (elements: readonly object[], local: null, options: { repairBindings: boolean }) => Element[]

/** What a browser offers when the module of the editor is loaded. Nothing of it is used to restore elements. */
function browser(): Record<string, unknown> {
  const node = () => ({ style: {}, getContext: () => ({ measureText: () => ({ width: 0 }) }), appendChild: () => undefined })
  const window: Record<string, unknown> = {
    console,
    URL,
    TextEncoder,
    TextDecoder,
    Blob,
    Event,
    DOMException,
    performance,
    crypto,
    atob,
    btoa,
    setTimeout,
    clearTimeout,
    queueMicrotask,
    structuredClone,
    AbortController,
    MessageChannel,
    location: { search: '', href: 'http://localhost/', origin: 'http://localhost', hash: '' },
    navigator: { userAgent: '', platform: '' },
    document: { documentElement: node(), body: node(), head: node(), createElement: node, querySelector: () => null },
    addEventListener: () => undefined,
    matchMedia: () => ({ matches: false }),
    devicePixelRatio: 1,
  }
  for (const name of ['Element', 'HTMLElement', 'Node', 'EventTarget', 'Path2D', 'FontFace', 'Image']) window[name] = class {}
  window.window = window
  window.self = window
  return window
}

/** The editor's own function that repairs elements when a drawing is opened. */
export async function loadRestore(): Promise<Restore> {
  installEditor()
  const { outputFiles } = await build({
    stdin: { contents: "export { restoreElements } from '@excalidraw/excalidraw'", resolveDir: EDITOR },
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'editor',
    platform: 'browser',
    external: ['@excalidraw/mermaid-to-excalidraw', './locales/*', './subset*'],
    conditions: ['production'],
    define: { 'process.env.NODE_ENV': '"production"', 'import.meta.env': '{}', 'import.meta.url': '"http://localhost/"' },
    logLevel: 'error',
  })
  const context = createContext(browser())
  runInContext(outputFiles[0]?.text ?? '', context)
  return runInContext('editor.restoreElements', context)
}

/** Elements that lack everything that completion can add: each type, labels, arrows between shapes, and lines. */
export const MINIMAL = [
  { id: 'start', type: 'rectangle', x: 0, y: 0, width: 160, height: 80, label: { text: 'Kick-off' } },
  { id: 'check', type: 'diamond', x: 320, y: -20, width: 160, height: 120, label: { text: 'Does the client agree with it?' } },
  { id: 'end', type: 'ellipse', x: 640, y: 0, width: 120, height: 80, backgroundColor: '#a5d8ff', label: { text: 'Übergabe\n引き渡し' } },
  { id: 'first', type: 'arrow', start: { id: 'start' }, end: { id: 'check' }, label: { text: 'then' } },
  { id: 'second', type: 'arrow', start: { id: 'check' }, end: { id: 'end' }, strokeStyle: 'dashed' },
  {
    id: 'back',
    type: 'arrow',
    points: [
      [300, 40],
      [200, 200],
      [0, 90],
    ],
    end: { id: 'start' },
    endArrowhead: 'triangle',
  },
  { id: 'loose', type: 'arrow', x: 10, y: 300, end: { id: 'note' } },
  { id: 'note', type: 'text', x: 400, y: 300, text: 'A note\nof two lines' },
  { id: 'inside', type: 'text', text: 'Bound by its container', containerId: 'plain' },
  { id: 'plain', type: 'rectangle', x: 0, y: 400, link: 'https://example.com/a?b=c&d=e', angle: 0.3 },
  { id: 'rule', type: 'line', x: 0, y: 600, width: 700 },
  {
    type: 'line',
    x: 0,
    y: 620,
    points: [
      [5, 5],
      [50, 80],
      [90, -20],
    ],
  },
] as const
