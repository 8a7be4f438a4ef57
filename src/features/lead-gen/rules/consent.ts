import { countryCode } from '../../../domain/time-zones.ts'

/** Why a person may be written to. `none`: nothing is known. */
export const CONSENT_BASES = ['none', 'consent', 'existing_customer', 'published_address', 'legitimate_interest'] as const
export type ConsentBasis = (typeof CONSENT_BASES)[number]

/** When the table was last compared with the laws that it names. */
export const CONSENT_TABLE_DATE = '2026-11-01'

/**
 * Countries whose law asks for consent, or for one of the exceptions that the other bases stand for, before an advertising email is sent to
 * a person at work, with the law and the year from which it applies. It is no legal advice.
 */
export const CONSENT_LAWS: Readonly<Record<string, { law: string; since: number }>> = {
  AT: { law: 'TKG 2021, section 174', since: 2021 },
  AU: { law: 'Spam Act 2003', since: 2004 },
  BE: { law: 'Code of Economic Law, XII.13', since: 2014 },
  CA: { law: 'Anti-Spam Legislation (CASL)', since: 2014 },
  CH: { law: 'UWG, article 3(1)(o)', since: 2007 },
  CN: { law: 'Measures for the Administration of Internet Email Services', since: 2006 },
  CY: { law: 'Regulation of Electronic Communications Law 112(I)/2004', since: 2004 },
  CZ: { law: 'Act 480/2004', since: 2004 },
  DE: { law: 'UWG, section 7', since: 2004 },
  DK: { law: 'Marketing Practices Act, section 10', since: 2017 },
  ES: { law: 'LSSI, article 21', since: 2002 },
  GR: { law: 'Law 3471/2006, article 11', since: 2006 },
  IT: { law: 'Privacy Code, article 130', since: 2004 },
  JP: { law: 'Act on Regulation of Transmission of Specified Electronic Mail', since: 2008 },
  KR: { law: 'Network Act, article 50', since: 2014 },
  LT: { law: 'Law on Electronic Communications, article 81', since: 2004 },
  NL: { law: 'Telecommunications Act, article 11.7', since: 2009 },
  NO: { law: 'Marketing Control Act, section 15', since: 2009 },
  NZ: { law: 'Unsolicited Electronic Messages Act 2007', since: 2007 },
  PL: { law: 'Electronic Communications Law, article 398', since: 2024 },
  RO: { law: 'Law 506/2004, article 12', since: 2004 },
  SK: { law: 'Act 452/2021, section 116', since: 2022 },
  ZA: { law: 'POPIA, section 69', since: 2021 },
}

/** Why a person without a basis may not be written to; undefined if they may be. Of an unknown country the strictest law is assumed. */
export function consentFault(basis: ConsentBasis, country: string | null): string | undefined {
  if (basis !== 'none') return undefined
  const code = country === null ? undefined : countryCode(country)
  if (!code) return 'Its country is not known, so consent is needed: set its country, or its consent_basis'
  const found = CONSENT_LAWS[code]
  return found && `In its country (${code}) consent is needed (${found.law}): set its consent_basis`
}
