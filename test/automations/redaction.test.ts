import { expect, test } from 'vitest'
import { redactSecrets } from '../../src/features/automations/rules/redaction.ts'

test.each<[unknown, unknown]>([
  [
    { Authorization: 'Bearer abcdefgh', accept: 'text/plain' },
    { Authorization: '[redacted]', accept: 'text/plain' },
  ],
  [
    { 'x-api-key': 'k', cookie: 'a=b', 'Set-Cookie': ['a'] },
    { 'x-api-key': '[redacted]', cookie: '[redacted]', 'Set-Cookie': '[redacted]' },
  ],
  [
    { client_secret: 's', PASSWORD: 'p', refreshToken: { a: 1 } },
    { client_secret: '[redacted]', PASSWORD: '[redacted]', refreshToken: '[redacted]' },
  ],
  [
    { key: 'k', private_key: 'k', pin: 1234, pwd: 'p' },
    { key: '[redacted]', private_key: '[redacted]', pin: '[redacted]', pwd: '[redacted]' },
  ],
  [{ deep: [{ token: 't', id: 1 }] }, { deep: [{ token: '[redacted]', id: 1 }] }],
  [{ headers: [{ name: 'X-Auth-Token', value: 'v' }] }, { headers: [{ name: 'X-Auth-Token', value: '[redacted]' }] }],
  [{ fields: [{ name: 'Colour', value: 'red' }] }, { fields: [{ name: 'Colour', value: 'red' }] }],
  [{ url: 'https://a.example/b?id=1&api_key=2#c' }, { url: 'https://a.example/b?id=1&api_key=[redacted]#c' }],
  ['send Basic dXNlcjpwYXNz now', 'send Basic [redacted] now'],
  [
    { token: null, has_password: true, title: 'Key account', role_key: 'client_admin' },
    { token: null, has_password: true, title: 'Key account', role_key: 'client_admin' },
  ],
  [undefined, undefined],
])('%j is shown as %j', (value, shown) => expect(redactSecrets(value)).toEqual(shown))
