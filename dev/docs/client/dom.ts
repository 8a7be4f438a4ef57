type Attributes = Record<string, string | boolean | undefined>

/** An element with attributes and children; text is never parsed as markup. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(name, '')
    else if (typeof value === 'string') made.setAttribute(name, value)
  }
  made.append(...children)
  return made
}

/** A modal dialog that closes with Escape, its button or a click outside, and is then removed from the page. */
export function openDialog(className: string, label: string, ...children: (Node | string)[]): HTMLDialogElement {
  const close = element('button', { type: 'button', class: 'close', 'aria-label': 'Close' }, '×')
  const dialog = element('dialog', { class: className, 'aria-label': label }, ...children, close)
  close.addEventListener('click', () => dialog.close())
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close()
  })
  dialog.addEventListener('close', () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
  return dialog
}

/** Copies text, and confirms it on the button for a moment. */
export async function copyFrom(button: HTMLElement, text: string): Promise<void> {
  let label = 'Copied'
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    label = 'Not allowed'
  }
  const before = button.dataset.label ?? button.textContent ?? ''
  button.dataset.label = before
  button.textContent = label
  setTimeout(() => {
    button.textContent = before
  }, 1200)
}
