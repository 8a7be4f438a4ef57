import { element } from './dom.ts'
import type { Call } from './send.ts'

/** Written beside the pages by dev/docs/pages.ts. Its markup is generated and escaped there. */
interface Content {
  html: string
  /** Of an operation. */
  call?: Call
}

const loaded = new Map<string, Promise<Content>>()

function load(path: string): Promise<Content> {
  const loading = loaded.get(path) ?? fetch(`/docs/${path}.json`).then((response) => response.json() as Promise<Content>)
  loaded.set(path, loading)
  loading.catch(() => loaded.delete(path))
  return loading
}

const loadOperation = (id: string) => load(`${document.body.dataset.resource}/${id}`)

export const findCall = async (id: string): Promise<Call | undefined> => (await loadOperation(id)).call

/** Inserts an operation or a named object into its fold when the fold is opened, unless the page already contains it. */
export async function fillFold(fold: HTMLDetailsElement): Promise<void> {
  const { object, filled } = fold.dataset
  const isOperation = fold.matches('.operation') && fold.childElementCount === 1
  if (!fold.open || filled || !(object || isOperation)) return
  fold.dataset.filled = 'true'
  try {
    const { html } = await (object ? load(`objects/${object}`) : loadOperation(fold.id))
    show(fold, html)
  } catch {
    delete fold.dataset.filled
    fold.append(element('p', { role: 'alert' }, 'This could not be loaded. Close and open it to try again.'))
  }
}

function show(fold: HTMLDetailsElement, markup: string): void {
  for (const child of [...fold.children].slice(1)) child.remove()
  const template = element('template')
  template.innerHTML = markup
  fold.append(template.content)
}
