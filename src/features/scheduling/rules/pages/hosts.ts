import { escapeHtml } from '../../../../lib/html.ts'
import { imageOf } from '../../../pages/rules/html.ts'
import type { Texts } from './texts.ts'

/** A host of a booking as a visitor sees it. */
export type PageHost = { name: string | null; picture: string | null }
const MOST_SHOWN = 5

/** The hosts with their pictures; those without a name are left out. */
export function hostsOf(texts: Texts, hosts: PageHost[]): string {
  const shown = hosts.flatMap(({ name, picture }) => (name ? [{ name, picture }] : [])).slice(0, MOST_SHOWN)
  if (shown.length === 0) return ''
  const names = new Intl.ListFormat(texts.locale).format(shown.map(({ name }) => name))
  return `<p class="hosts">${shown.map(({ picture }) => imageOf(picture)).join('')}<span>${escapeHtml(texts.with_hosts(names))}</span></p>`
}

type Assigned = { assignment: string; hosts: { user_id: string; is_fixed: boolean }[] }
/** The hosts of every booking, whoever of the others is chosen. */
export const certainHosts = <Host extends { user_id: string }>({ assignment, hosts: settings }: Assigned, hosts: Host[]): Host[] =>
  assignment === 'collective' || settings.length === 1
    ? hosts
    : hosts.filter(({ user_id }) => settings.some((host) => host.user_id === user_id && host.is_fixed))
