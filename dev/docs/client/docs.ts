import { fillFold, findCall } from './content.ts'
import { copyFrom } from './dom.ts'
import { openSearch } from './search.ts'
import { save } from './storage.ts'
import { openKey, openTry } from './try.ts'

const page = document.documentElement

function toggleTheme(): void {
  const dark = page.dataset.theme ? page.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
  page.dataset.theme = dark ? 'light' : 'dark'
  save('theme', page.dataset.theme)
}

function toggleMenu(open = !document.body.classList.contains('menu-open')): void {
  document.body.classList.toggle('menu-open', open)
  document.getElementById('menu')?.setAttribute('aria-expanded', String(open))
}

/** The choice of the samples' language applies to all pages. */
function chooseLanguage(language: string): void {
  page.dataset.language = language
  save('language', language)
  markLanguage()
}

const markLanguage = () => {
  for (const button of document.querySelectorAll<HTMLElement>('.tabs button'))
    button.setAttribute('aria-pressed', String(button.dataset.language === page.dataset.language))
}

/** Opens the operation or object that the address names, and marks it in the navigation. */
function followAnchor(): void {
  const id = location.hash.slice(1)
  const target = id && document.getElementById(id)
  if (target instanceof HTMLDetailsElement) target.open = true
  markOperation(id)
  toggleMenu(false)
}

function markOperation(id: string): void {
  for (const link of document.querySelectorAll('.operations a[aria-current]')) link.removeAttribute('aria-current')
  const link = document.querySelector(`.operations a[href="#${CSS.escape(id)}"]`)
  link?.setAttribute('aria-current', 'true')
  link?.scrollIntoView({ block: 'nearest' })
}

document.addEventListener('click', (event) => {
  const button = (event.target as Element).closest('button')
  if (!button) return
  const { dataset, id } = button
  if (dataset.try) void findCall(dataset.try).then((call) => call && openTry(call))
  else if (dataset.link) void copyFrom(button, `${location.origin}${location.pathname}#${dataset.link}`)
  else if (dataset.language) chooseLanguage(dataset.language)
  else if ('copy' in dataset) void copyFrom(button, shownCode(button.closest('figure')))
  else if (id === 'search-open') openSearch()
  else if (id === 'key-open') openKey()
  else if (id === 'theme') toggleTheme()
  else if (id === 'menu') toggleMenu()
})

/** Shows one of several samples. */
function shownCode(figure: HTMLElement | null): string {
  const codes = [...(figure?.querySelectorAll('pre') ?? [])]
  return (codes.find((code) => code.offsetParent !== null) ?? codes[0])?.textContent ?? ''
}

document.addEventListener('keydown', (event) => {
  const typing = (event.target as Element).matches('input, textarea, select')
  if ((event.key === '/' && !typing) || (event.key === 'k' && (event.metaKey || event.ctrlKey))) {
    event.preventDefault()
    openSearch()
  } else if (event.key === 'Escape') toggleMenu(false)
})

document.addEventListener(
  'toggle',
  (event) => event.target instanceof HTMLDetailsElement && void fillFold(event.target).then(markLanguage),
  true,
)
addEventListener('hashchange', followAnchor)

markLanguage()
document.querySelector('#nav [aria-current=page]')?.scrollIntoView({ block: 'center' })
// A link within the page to the operation that it already names opens it again.
document.addEventListener('click', (event) => {
  const link = (event.target as Element).closest('a')
  if (link && link.href === location.href) followAnchor()
})
if (location.hash) followAnchor()
