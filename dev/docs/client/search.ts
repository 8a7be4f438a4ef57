import { element, openDialog } from './dom.ts'
import { type Entry, search } from './match.ts'

let index: Promise<Entry[]> | undefined

const loadIndex = () => {
  index ??= fetch('/docs/search.json').then((response) => response.json() as Promise<Entry[]>)
  index.catch(() => {
    index = undefined
  })
  return index
}

export function openSearch(): void {
  if (document.querySelector('dialog')) return
  const input = element('input', {
    type: 'search',
    placeholder: 'Search operations, fields and guides',
    'aria-label': 'Search',
    autocomplete: 'off',
    spellcheck: 'false',
    role: 'combobox',
    'aria-expanded': 'true',
    'aria-controls': 'search-hits',
  })
  const hits = element('ul', { id: 'search-hits', role: 'listbox' })
  const hint = element('p', { class: 'hint' }, '↑ ↓ to choose, Enter to open, Escape to close')
  const dialog = openDialog('search', 'Search', input, hits, hint)
  const loading = loadIndex()
  let chosen = 0

  const choose = (position: number) => {
    const links = [...hits.querySelectorAll('a')]
    chosen = Math.max(0, Math.min(position, links.length - 1))
    links.forEach((link, at) => {
      link.setAttribute('aria-selected', String(at === chosen))
      link.id = `hit-${at}`
    })
    input.setAttribute('aria-activedescendant', links.length > 0 ? `hit-${chosen}` : '')
    links[chosen]?.scrollIntoView({ block: 'nearest' })
  }
  const show = async () => {
    const query = input.value
    try {
      const found = search(await loading, query)
      if (query !== input.value) return
      hits.replaceChildren(...found.map(hitOf))
      hint.textContent = query.trim() && found.length === 0 ? 'Nothing found.' : '↑ ↓ to choose, Enter to open, Escape to close'
      choose(0)
    } catch {
      hint.textContent = 'The search index could not be loaded. Close this and try again.'
    }
  }

  input.addEventListener('input', () => void show())
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      choose(chosen + (event.key === 'ArrowDown' ? 1 : -1))
    } else if (event.key === 'Enter') hits.querySelectorAll('a')[chosen]?.click()
  })
  // A hit on the current page only scrolls to it.
  hits.addEventListener('click', (event) => {
    if ((event.target as Element).closest('a')) dialog.close()
  })
  input.focus()
}

function hitOf([title, url, kind, place]: Entry): HTMLElement {
  const link = element(
    'a',
    { href: url, role: 'option' },
    element('span', { class: `method ${kind.toLowerCase()}` }, kind),
    element('b', {}, title),
    element('small', {}, place),
  )
  return element('li', { role: 'presentation' }, link)
}
