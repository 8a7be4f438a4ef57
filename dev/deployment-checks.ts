import { join } from 'node:path'
import { unstable_readConfig } from 'wrangler'
import { secretsIn } from '../src/lib/link-secrets.ts'
import { readSealingKeys } from '../src/lib/seal.ts'
import { isLocal } from './database-checks.ts'
import { program } from './program.ts'
import { Complaint, root } from './settings.ts'

const FILE_SECRET_LENGTH = 32

/** @throws Complaint with a line for each fault. */
export function refuse(faults: string[]): void {
  if (faults.length > 0) throw new Complaint(faults.join('\n'))
}

/** Returns the faults of the variables in wrangler.toml: empty and example values. */
export function faultsOfVars({ APP_URL, API_URL, EMAIL_FROM, LOCAL_RECEIVERS, DNS_RESOLVER_URL }: Record<string, unknown>): string[] {
  const faults = []
  if (LOCAL_RECEIVERS)
    faults.push('LOCAL_RECEIVERS in wrangler.toml opens private addresses to webhooks: it is for development only, remove it.')
  if (!String(DNS_RESOLVER_URL).startsWith('https:'))
    faults.push(
      'DNS_RESOLVER_URL in wrangler.toml must be the https address of a resolver, which checks the names that webhooks are sent to.',
    )
  const appUrl = String(APP_URL ?? '')
  if (!isPublic(appUrl))
    faults.push(`APP_URL in wrangler.toml is "${appUrl}": set the https address of your web application, which emails link to.`)
  const from = String(EMAIL_FROM ?? '')
  const domain = /@([^@\s>]+\.[^@\s>]+)/.exec(from)?.[1]
  if (!domain || isExample(domain))
    faults.push(`EMAIL_FROM in wrangler.toml is "${from}": set a sender that your email provider has confirmed.`)
  const apiUrl = String(API_URL ?? '')
  if (!isPublic(apiUrl) || apiUrl.endsWith('/'))
    faults.push(
      `API_URL in wrangler.toml is "${apiUrl}": set the https address of this API, without a slash at its end, ` +
        'which unsubscribe links lead to.',
    )
  return faults
}

const isPublic = (url: string) =>
  URL.canParse(url) && new URL(url).protocol === 'https:' && !isLocal(url) && !isExample(new URL(url).hostname)
const isExample = (host: string) => /(^|\.)(example\.(com|org|net)|example|invalid|test|localhost)$/i.test(host)

/** Returns the faults of the given secrets. */
export async function faultsOfSecrets(secrets: Record<string, string>): Promise<string[]> {
  const faults = Object.keys(secrets)
    .filter((name) => !secrets[name])
    .map((name) => `${name} is empty: give its value, or leave the variable out to keep the stored secret.`)
  faults.push(...faultsOfDatabase('DATABASE_URL', 'app', secrets), ...faultsOfDatabase('DATABASE_JOBS_URL', 'jobs', secrets))
  const { FILE_SECRET: fileSecret, SEALING_KEYS: sealingKeys } = secrets
  const short = fileSecret ? secretsIn(fileSecret).find(({ length }) => length < FILE_SECRET_LENGTH) : undefined
  if (short !== undefined)
    faults.push(`FILE_SECRET has ${short.length} characters: it needs ${FILE_SECRET_LENGTH} random ones or more ("openssl rand -hex 32").`)
  if (sealingKeys) await readSealingKeys(sealingKeys).catch((error: Error) => faults.push(`${error.message} ("openssl rand -base64 32").`))
  return faults
}

function faultsOfDatabase(name: string, role: string, { [name]: url }: Record<string, string>): string[] {
  if (!url || (/^postgres(ql)?:/.test(url) && URL.canParse(url) && new URL(url).username === role && !isLocal(url))) return []
  return [`${name} must be postgres://${role}:<password>@<host>/<database>, with the role "${role}" and the host of your Neon project.`]
}

const usage = `Usage: npm run predeploy

Checks the variables in wrangler.toml. Runs before "npm run deploy" by itself.`

await program(import.meta, { usage }, async () => {
  refuse(faultsOfVars(unstable_readConfig({ config: join(root, 'wrangler.toml') }).vars))
})
