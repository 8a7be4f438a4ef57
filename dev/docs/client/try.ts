import { copyFrom, element, openDialog } from './dom.ts'
import { type Call, curlOf, type Field, type Given, send } from './send.ts'
import { isKeyRemembered, loadKey, saveKey } from './storage.ts'

export function openTry(call: Call): void {
  if (document.querySelector('dialog')) return
  const form = element('form', { novalidate: true })
  const inputs = new Map(call.fields.map((field) => [field.name, inputFor(field)]))
  const body = call.body === null ? undefined : element('textarea', { rows: '10', spellcheck: 'false', 'aria-label': 'Request body' })
  if (body) body.value = call.body ?? ''
  const file = call.types.includes('multipart/form-data') ? element('input', { type: 'file', 'aria-label': 'File' }) : undefined
  const run = element('button', { type: 'submit', class: 'primary' }, 'Send')
  const copy = element('button', { type: 'button' }, 'Copy as curl')
  const result = element('section', { class: 'result', 'aria-live': 'polite' })
  const optional = call.fields.filter(({ required }) => !required)
  const labelOf = (field: Field) => labelled(field, inputs.get(field.name) as HTMLElement)
  const given = (): Given => ({
    values: new Map([...inputs].map(([name, input]) => [name, input.value.trim()])),
    body: body?.value.trim(),
    file: file?.files?.[0] ?? undefined,
  })

  form.append(
    ...(call.isPublic ? [] : [keyField()]),
    ...call.fields.filter(({ required }) => required).map(labelOf),
    ...(body ? [element('label', {}, element('span', {}, 'Body'), body)] : []),
    ...(file ? [element('label', {}, element('span', {}, 'File'), file)] : []),
    ...(optional.length > 0
      ? [element('details', {}, element('summary', {}, `${optional.length} optional parameters`), ...optional.map(labelOf))]
      : []),
    element('p', { class: 'actions' }, run, copy),
  )
  copy.addEventListener('click', () => void copyFrom(copy, curlOf(call, given())))
  const abort = new AbortController()
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const missing = missingField(call, given(), inputs)
    if (missing) return missing.focus()
    void perform(call, given(), run, result, abort.signal)
  })
  const title = element('h2', {}, element('span', { class: `method ${call.method.toLowerCase()}` }, call.method), ` ${call.summary}`)
  const dialog = openDialog('try', `Try: ${call.summary}`, title, element('p', { class: 'path' }, call.path), form, result)
  dialog.addEventListener('close', () => abort.abort())
}

async function perform(call: Call, given: Given, run: HTMLButtonElement, result: HTMLElement, signal: AbortSignal): Promise<void> {
  run.disabled = true
  result.replaceChildren('Sending…')
  try {
    const sent = await send(call, given, signal)
    const kind = sent.status < 300 ? 'good' : sent.status < 500 ? 'warn' : 'bad'
    result.replaceChildren(
      element('h3', {}, element('span', { class: `outcome ${kind}` }, `${sent.status} ${sent.statusText}`), ` in ${sent.milliseconds} ms`),
      element('details', {}, element('summary', {}, 'Headers'), element('pre', {}, sent.headers)),
      element('pre', { tabindex: '0', 'data-result': true }, sent.body || '(no body)'),
    )
  } catch (error) {
    result.replaceChildren(`No response: ${(error as Error).message}. Check that the API is running and reachable from this browser.`)
  } finally {
    result.scrollIntoView({ block: 'nearest' })
    run.disabled = false
  }
}

/** The first required parameter without a value. */
function missingField(call: Call, { values }: Given, inputs: Map<string, HTMLElement>): HTMLElement | undefined {
  const field = call.fields.find(({ name, required }) => required && !values.get(name))
  return field && inputs.get(field.name)
}

function inputFor({ name, required, choices, example }: Field): HTMLInputElement | HTMLSelectElement {
  if (choices.length === 0) return element('input', { name, placeholder: example, required, spellcheck: 'false', autocomplete: 'off' })
  const options = choices.map((choice) => element('option', { value: choice }, choice))
  return element('select', { name, required }, ...(required ? [] : [element('option', { value: '' }, '–')]), ...options)
}

const labelled = ({ name, where, required, description }: Field, input: HTMLElement) =>
  element(
    'label',
    {},
    element('span', {}, element('code', {}, name), ` ${where}`, ...(required ? [element('b', { class: 'required' }, ' required')] : [])),
    input,
    ...(description ? [element('small', {}, description.replaceAll('`', ''))] : []),
  )

/** The key and whether to keep it: for this tab, or in this browser. */
function keyField(): HTMLElement {
  const input = element('input', { type: 'password', placeholder: 'wck_…', autocomplete: 'off', spellcheck: 'false' })
  const remember = element('input', { type: 'checkbox' })
  input.value = loadKey()
  remember.checked = isKeyRemembered()
  const keep = () => saveKey(input.value.trim(), remember.checked)
  input.addEventListener('input', keep)
  remember.addEventListener('change', keep)
  return element(
    'div',
    { class: 'key' },
    element('label', {}, element('span', {}, 'API key'), input),
    element('label', { class: 'check' }, remember, 'Remember in this browser (otherwise until this tab is closed)'),
  )
}

export function openKey(): void {
  if (document.querySelector('dialog')) return
  const done = element('button', { type: 'submit', class: 'primary' }, 'Done')
  const form = element('form', { method: 'dialog' }, keyField(), element('p', { class: 'actions' }, done))
  const text = 'Used by "Try it" on these pages. It is sent to this API only.'
  openDialog('try narrow', 'API key', element('h2', {}, 'API key'), element('p', {}, text), form)
}
