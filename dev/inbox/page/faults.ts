import { PRESETS } from '../wire.ts'
import { act, read } from './api.ts'
import { badge, draw, el } from './dom.ts'
import type { PageView } from './inbox.ts'

type Switch = { id: string; label: string; hint: string } & (
  | { kind: 'choice'; options: { value: string; label: string }[]; value: string; pending: number }
  | { kind: 'switch'; on: boolean }
)
type Channel = { id: string; title: string; switches: Switch[] }
const TIMES = [1, 3, 10]

export function faultsView(): PageView {
  const cards = el('div', { class: 'cards' })
  return {
    title: 'Faults',
    element: el(
      'section',
      { class: 'page', 'aria-labelledby': 'faults-title' },
      el('h2', { id: 'faults-title', tabindex: -1 }, 'Faults of the providers'),
      el(
        'p',
        { class: 'quiet' },
        'What is switched on here happens to the API as it would with the real provider. Whatever it does, nothing is sent twice.',
      ),
      el(
        'div',
        { class: 'buttons', role: 'group', 'aria-label': 'Presets' },
        ...Object.entries(PRESETS).map(([name, label]) =>
          el('button', { type: 'button', onclick: () => void act(`faults/presets/${name}`, {}, label) }, label),
        ),
      ),
      cards,
    ),
    async show() {
      const channels = await read<Channel[]>('faults')
      draw(cards, channels, () => channels.map(cardOf))
    },
  }
}

const isOn = (one: Switch) => (one.kind === 'switch' ? one.on : one.value !== '' || one.pending > 0)

function cardOf({ id, title, switches }: Channel): HTMLElement {
  const on = switches.filter(isOn).length
  return el(
    'section',
    { class: 'card', 'aria-labelledby': `title-${id}` },
    el('div', { class: 'line' }, el('h3', { id: `title-${id}` }, title), badge(on > 0 ? `${on} on` : 'Works', on > 0 ? 'bad' : 'good')),
    ...switches.map((one) => (one.kind === 'choice' ? choiceOf(id, one) : toggleOf(id, one))),
  )
}

function choiceOf(channel: string, one: Extract<Switch, { kind: 'choice' }>): HTMLElement {
  const name = `${channel}-${one.id}`
  const mode = el('select', { id: name }, ...one.options.map(({ value, label }) => el('option', { value }, label)))
  mode.value = one.value
  const times = el(
    'select',
    { id: `${name}-times`, 'aria-label': `${one.label}: how often` },
    el('option', { value: '' }, 'every call'),
    ...TIMES.map((n) => el('option', { value: n }, n === 1 ? 'next call' : `next ${n} calls`)),
  )
  const apply = () => {
    const body = { value: mode.value, ...(times.value && mode.value && { times: Number(times.value) }) }
    void act(`faults/${channel}/${one.id}`, body, `${one.label}: ${mode.selectedOptions[0]?.textContent}`)
  }
  return el(
    'div',
    { class: 'fault' },
    el('label', { for: name }, one.label),
    el('p', { class: 'quiet' }, one.pending > 0 ? `${one.hint} · ${one.pending} still to fail` : one.hint),
    el(
      'div',
      { class: 'row' },
      mode,
      times,
      el('button', { type: 'button', id: `${name}-apply`, 'aria-label': `Apply to ${one.label}`, onclick: apply }, 'Apply'),
    ),
  )
}

function toggleOf(channel: string, one: Extract<Switch, { kind: 'switch' }>): HTMLElement {
  const name = `${channel}-${one.id}`
  const box = el('input', { type: 'checkbox', role: 'switch', id: name, 'aria-describedby': `${name}-hint`, checked: one.on })
  box.addEventListener('change', () => {
    void act(`faults/${channel}/${one.id}`, { on: box.checked }, `${one.label}: ${box.checked ? 'on' : 'off'}`)
  })
  return el(
    'div',
    { class: 'fault toggle' },
    el('label', { for: name }, one.label),
    box,
    el('p', { class: 'quiet', id: `${name}-hint` }, one.hint),
  )
}
