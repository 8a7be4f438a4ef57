import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Browser, startChromium, type Tab } from '../../bench/chromium.ts'
import { type LocalServer, startLocalServer } from '../../dev/local-server.ts'
import { EDITOR, installEditor } from '../clients/install.ts'
import { MINIMAL } from '../domain/whiteboards/editor.ts'
import { created, found, type Row, useCrm } from '../routes/crm.ts'

const crm = useCrm()
const ASSETS = join(EDITOR, 'node_modules/@excalidraw/excalidraw/dist/prod')
/** The page opens what is at /board in the editor, and offers the editor to the test. */
const PAGE = `
  import '@excalidraw/excalidraw/index.css'
  import { createElement } from 'react'
  import { createRoot } from 'react-dom/client'
  import { Excalidraw } from '@excalidraw/excalidraw'
  const initialData = fetch('/board').then((response) => response.json())
  const excalidrawAPI = (editor) => { window.editor = editor }
  createRoot(document.getElementById('root')).render(createElement(Excalidraw, { initialData, excalidrawAPI }))`

let browser: Browser
let server: LocalServer
let tab: Tab
let board: Row = {}
const problems: string[] = []

beforeAll(async () => {
  installEditor()
  const { outputFiles } = await build({
    stdin: { contents: PAGE, resolveDir: EDITOR },
    bundle: true,
    write: false,
    outdir: '/',
    format: 'esm',
    conditions: ['production'],
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"', 'import.meta.env': '{}' },
    loader: { '.woff2': 'empty' },
  })
  const assets = new Map(outputFiles.map(({ path, text }) => [path.endsWith('.css') ? '/editor.css' : '/editor.js', text]))
  const page = `<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="/editor.css"><style>html, body, #root { height: \
100%; margin: 0 }</style>
    <div id="root"></div><script>EXCALIDRAW_ASSET_PATH = '/'</script><script type="module" src="/editor.js"></script>`
  server = await startLocalServer(({ url = '/' }, response) => {
    const type = url.endsWith('.css') ? 'text/css' : url.endsWith('.js') ? 'text/javascript' : 'text/html; charset=utf-8'
    if (url === '/board') return void response.setHeader('content-type', 'application/json').end(JSON.stringify(board))
    if (url.startsWith('/fonts/')) return void response.end(readFileSync(join(ASSETS, url)))
    response.setHeader('content-type', type).end(url === '/' ? page : (assets.get(url) ?? ''))
  })
  browser = await startChromium()
  tab = await browser.tab()
  tab.on(
    'Runtime.exceptionThrown',
    ({ exceptionDetails }) => void problems.push(exceptionDetails.exception?.description ?? exceptionDetails.text),
  )
}, 120_000)
afterAll(async () => {
  await browser?.close()
  await server?.close()
})

/** Opens the board in the editor, and returns the elements that the editor has then. */
async function open(opened: Row): Promise<Row[]> {
  board = opened
  await tab.open(`${server.url}/`)
  await tab.until('window.editor && !window.editor.getAppState().isLoading')
  await tab.evaluate('document.fonts.ready.then(() => true)')
  return JSON.parse(await tab.evaluate<string>('JSON.stringify(editor.getSceneElementsIncludingDeleted())'))
}

async function drawnBoard(): Promise<string> {
  const { id } = created(await crm.ws.post('/whiteboards', { name: 'Process' }))
  found(
    await crm.ws.put(`/whiteboards/${id}/content`, { elements: MINIMAL, appState: { viewBackgroundColor: '#fdf6e3', collaborators: {} } }),
  )
  const added = [
    { id: 'added', type: 'ellipse', x: 640, y: 180, width: 140, height: 90, label: { text: 'Added later' } },
    { type: 'arrow', start: { id: 'end' }, end: { id: 'added' } },
  ]
  found(await crm.ws.post(`/whiteboards/${id}/elements`, { elements: added }))
  return id
}

test('the editor opens a board as it is stored, and repairs nothing', async () => {
  const id = await drawnBoard()
  const stored = found(await crm.ws.get(`/whiteboards/${id}`))
  expect(stored.elements).toHaveLength(MINIMAL.length + 4 + 3)
  const opened = await open(stored)
  expect(opened).toEqual(stored.elements)
  expect(await tab.evaluate('editor.getAppState().viewBackgroundColor')).toBe('#fdf6e3')
  await tab.evaluate('editor.scrollToContent(editor.getSceneElements(), { fitToContent: true })')
  const picture = process.env.PICTURE
  if (picture) writeFileSync(picture, (await tab.send('Page.captureScreenshot')).data, 'base64')
  expect(problems).toEqual([])
})

test('what the editor saves is stored as it is', async () => {
  const id = await drawnBoard()
  const opened = await open(found(await crm.ws.get(`/whiteboards/${id}`)))
  await tab.evaluate(`editor.updateScene({ elements: editor.getSceneElements().map((each) => each.id === 'start' ? { ...each, \
strokeColor: '#e03131',
    version: each.version + 1 } : each) })`)
  const edited = JSON.parse(await tab.evaluate<string>('JSON.stringify(editor.getSceneElements())'))
  expect(edited).not.toEqual(opened)
  found(await crm.ws.put(`/whiteboards/${id}/content`, { elements: edited }))
  expect(found(await crm.ws.get(`/whiteboards/${id}`)).elements).toEqual(edited)
})

test('a label is as wide as the editor would draw it', async () => {
  const stored = found(await crm.ws.get(`/whiteboards/${await drawnBoard()}`))
  await open(stored)
  for (const { text, width, fontSize } of stored.elements.filter(({ type }: Row) => type === 'text')) {
    const lines = JSON.stringify(text.split('\n'))
    const measured = await tab.evaluate<number>(`(() => { const canvas = document.createElement('canvas').getContext('2d')
      canvas.font = '${fontSize}px Excalifont, Xiaolai'; return Math.max(...${lines}.map((line) => canvas.measureText(line).width)) })()`)
    expect(Math.abs(width - measured) / measured, text).toBeLessThan(0.06)
  }
})
