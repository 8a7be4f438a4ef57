import type { OutsideRules } from '../../domain/outside-addresses.ts'
import { outsideHttp } from './client.ts'
import type { OutsideHttp } from './port.ts'
import { dnsOverHttps } from './resolver.ts'

/** The variables of the Worker that decide which addresses may be called (src/env.ts). */
type Settings = { APP_URL: string; LOCAL_RECEIVERS?: string; DNS_RESOLVER_URL?: string }

/** The addresses that may not be called, or although they are not public. The host of the request, at `url`, is one of our own. */
export function outsideRulesOf({ APP_URL, LOCAL_RECEIVERS = '' }: Settings, url?: string): OutsideRules {
  const local = LOCAL_RECEIVERS.split(',').map((host) => host.trim().toLowerCase())
  const own = [APP_URL, url ?? ''].flatMap((address) => (URL.canParse(address) ? [new URL(address).hostname] : []))
  return { own, local: local.filter((host) => host !== '') }
}

/** The client for addresses that customers choose. */
export const outsideHttpOf = (env: Settings): OutsideHttp =>
  outsideHttp({ rules: outsideRulesOf(env), ...(env.DNS_RESOLVER_URL && { resolver: dnsOverHttps(env.DNS_RESOLVER_URL) }) })
