/** The reader's choices, stored in the browser. If the browser forbids storage, they last as long as the page. */
const memory = new Map<string, string>()

export function load(name: string): string | undefined {
  try {
    return localStorage.getItem(`docs.${name}`) ?? memory.get(name)
  } catch {
    return memory.get(name)
  }
}

export function save(name: string, value: string): void {
  memory.set(name, value)
  try {
    localStorage.setItem(`docs.${name}`, value)
  } catch {
    // Kept in memory.
  }
}

/** The API key lives as long as the tab, unless the reader asks to remember it. */
export function loadKey(): string {
  try {
    return sessionStorage.getItem('docs.key') ?? localStorage.getItem('docs.key') ?? ''
  } catch {
    return memory.get('key') ?? ''
  }
}

export function saveKey(key: string, remember: boolean): void {
  memory.set('key', key)
  try {
    sessionStorage.setItem('docs.key', key)
    if (remember && key) localStorage.setItem('docs.key', key)
    else localStorage.removeItem('docs.key')
  } catch {
    // Kept in memory.
  }
}

export function isKeyRemembered(): boolean {
  try {
    return localStorage.getItem('docs.key') !== null
  } catch {
    return false
  }
}
