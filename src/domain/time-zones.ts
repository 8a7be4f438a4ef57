import { lazy } from '../lib/lazy.ts'
import { DEFAULT_COUNTRY } from './default-country.ts'

export const ZONE_MESSAGE = 'must be an IANA time zone, such as Australia/Sydney, or a state, such as NSW'

/** The time zone of each country, or the most populous one of several, grouped by area as `<ISO code>:<rest of the zone's name>`. */
const COUNTRY_ZONES: Record<string, string> = {
  Africa:
    'AO:Luanda BF:Ouagadougou BI:Bujumbura BJ:Porto-Novo BW:Gaborone CD:Kinshasa CF:Bangui CG:Brazzaville CI:Abidjan CM:Douala ' +
    'DJ:Djibouti DZ:Algiers EG:Cairo EH:El_Aaiun ER:Asmara ET:Addis_Ababa GA:Libreville GH:Accra GM:Banjul GN:Conakry GQ:Malabo ' +
    'GW:Bissau KE:Nairobi LR:Monrovia LS:Maseru LY:Tripoli MA:Casablanca ML:Bamako MR:Nouakchott MW:Blantyre MZ:Maputo NA:Windhoek ' +
    'NE:Niamey NG:Lagos RW:Kigali SD:Khartoum SL:Freetown SN:Dakar SO:Mogadishu SS:Juba ST:Sao_Tome SZ:Mbabane TD:Ndjamena TG:Lome ' +
    'TN:Tunis TZ:Dar_es_Salaam UG:Kampala ZA:Johannesburg ZM:Lusaka ZW:Harare',
  America:
    'AG:Antigua AI:Anguilla AR:Argentina/Buenos_Aires AW:Aruba BB:Barbados BL:St_Barthelemy BO:La_Paz BQ:Kralendijk BR:Sao_Paulo ' +
    'BS:Nassau BZ:Belize CA:Toronto CL:Santiago CO:Bogota CR:Costa_Rica CU:Havana CW:Curacao DM:Dominica DO:Santo_Domingo EC:Guayaquil ' +
    'GD:Grenada GF:Cayenne GL:Nuuk GP:Guadeloupe GT:Guatemala GY:Guyana HN:Tegucigalpa HT:Port-au-Prince JM:Jamaica KN:St_Kitts ' +
    'KY:Cayman LC:St_Lucia MF:Marigot MQ:Martinique MS:Montserrat MX:Mexico_City NI:Managua PA:Panama PE:Lima PM:Miquelon ' +
    'PR:Puerto_Rico PY:Asuncion SR:Paramaribo SV:El_Salvador SX:Lower_Princes TC:Grand_Turk TT:Port_of_Spain US:New_York UY:Montevideo ' +
    'VC:St_Vincent VE:Caracas VG:Tortola VI:St_Thomas',
  Antarctica: 'AQ:McMurdo',
  Arctic: 'SJ:Longyearbyen',
  Asia:
    'AE:Dubai AF:Kabul AM:Yerevan AZ:Baku BD:Dhaka BH:Bahrain BN:Brunei BT:Thimphu CN:Shanghai CY:Nicosia GE:Tbilisi HK:Hong_Kong ' +
    'ID:Jakarta IL:Jerusalem IN:Kolkata IQ:Baghdad IR:Tehran JO:Amman JP:Tokyo KG:Bishkek KH:Phnom_Penh KP:Pyongyang KR:Seoul KW:Kuwait ' +
    'KZ:Almaty LA:Vientiane LB:Beirut LK:Colombo MM:Yangon MN:Ulaanbaatar MO:Macau MY:Kuala_Lumpur NP:Kathmandu OM:Muscat PH:Manila ' +
    'PK:Karachi PS:Hebron QA:Qatar SA:Riyadh SG:Singapore SY:Damascus TH:Bangkok TJ:Dushanbe TL:Dili TM:Ashgabat TW:Taipei UZ:Tashkent ' +
    'VN:Ho_Chi_Minh YE:Aden',
  Atlantic: 'BM:Bermuda CV:Cape_Verde FK:Stanley FO:Faroe GS:South_Georgia IS:Reykjavik AC:St_Helena SH:St_Helena TA:St_Helena',
  Australia: 'AU:Sydney',
  Europe:
    'AD:Andorra AL:Tirane AT:Vienna AX:Mariehamn BA:Sarajevo BE:Brussels BG:Sofia BV:Oslo BY:Minsk CH:Zurich CZ:Prague DE:Berlin ' +
    'DK:Copenhagen EE:Tallinn ES:Madrid FI:Helsinki FR:Paris GB:London GG:Guernsey GI:Gibraltar GR:Athens HR:Zagreb HU:Budapest ' +
    'IE:Dublin IM:Isle_of_Man IT:Rome JE:Jersey LI:Vaduz LT:Vilnius LU:Luxembourg LV:Riga MC:Monaco MD:Chisinau ME:Podgorica MK:Skopje ' +
    'MT:Malta NL:Amsterdam NO:Oslo PL:Warsaw PT:Lisbon RO:Bucharest RS:Belgrade RU:Moscow SE:Stockholm SI:Ljubljana SK:Bratislava ' +
    'SM:San_Marino TR:Istanbul UA:Kyiv VA:Vatican XK:Belgrade',
  Indian:
    'CC:Cocos CX:Christmas HM:Kerguelen IO:Chagos KM:Comoro MG:Antananarivo MU:Mauritius MV:Maldives RE:Reunion SC:Mahe TF:Kerguelen ' +
    'YT:Mayotte',
  Pacific:
    'AS:Pago_Pago CK:Rarotonga FJ:Fiji FM:Pohnpei GU:Guam KI:Tarawa MH:Majuro MP:Saipan NC:Noumea NF:Norfolk NR:Nauru NU:Niue ' +
    'NZ:Auckland PF:Tahiti PG:Port_Moresby PN:Pitcairn PW:Palau SB:Guadalcanal TK:Fakaofo TO:Tongatapu TV:Funafuti UM:Wake VU:Efate ' +
    'WF:Wallis WS:Apia',
}

/** Countries with several time zones, where the country alone does not determine a state's time. */
const MANY_CLOCKS = new Set('AQ AU BR CA CD CL EC ES FM GL ID KI MN MX PF PG PT RU UM US'.split(' '))

/** IANA names that Intl understands but may not list: each runtime lists only one of a zone's names. */
const LINKS: Record<string, string> = {
  Africa: 'Asmara Asmera Timbuktu',
  America:
    'Argentina/Buenos_Aires Argentina/Catamarca Argentina/ComodRivadavia Argentina/Cordoba Argentina/Jujuy Argentina/Mendoza Atikokan ' +
    'Atka Buenos_Aires Catamarca Coral_Harbour Cordoba Ensenada Fort_Wayne Godthab Indiana/Indianapolis Indianapolis Jujuy ' +
    'Kentucky/Louisville Knox_IN Louisville Mendoza Montreal Nipigon Nuuk Pangnirtung Porto_Acre Rainy_River Rosario Santa_Isabel ' +
    'Shiprock Thunder_Bay Virgin Yellowknife',
  Antarctica: 'South_Pole',
  Asia:
    'Ashkhabad Calcutta Choibalsan Chongqing Chungking Dacca Harbin Ho_Chi_Minh Istanbul Kashgar Kathmandu Katmandu Kolkata Macao ' +
    'Rangoon Saigon Tel_Aviv Thimbu Ujung_Pandang Ulan_Bator Yangon',
  Atlantic: 'Faeroe Faroe Jan_Mayen',
  Australia: 'ACT Canberra Currie LHI NSW North Queensland South Tasmania Victoria West Yancowinna',
  Brazil: 'Acre DeNoronha East West',
  Canada: 'Atlantic Central Eastern Mountain Newfoundland Pacific Saskatchewan Yukon',
  Chile: 'Continental EasterIsland',
  Etc: 'GMT GMT+0 GMT-0 GMT0 Greenwich UCT UTC Universal Zulu',
  Europe: 'Belfast Kiev Kyiv Nicosia Tiraspol Uzhgorod Zaporozhye',
  Mexico: 'BajaNorte BajaSur General',
  Pacific: 'Chuuk Enderbury Johnston Kanton Pohnpei Ponape Samoa Truk Yap',
  US: 'Alaska Aleutian Arizona Central East-Indiana Eastern Hawaii Indiana-Starke Michigan Mountain Pacific Samoa',
}

/** IANA names without an area, and the zone of each. Abbreviations of an offset (EST, CET) are not places and are left out. */
const PLAIN_NAMES =
  'UTC=UTC Zulu=UTC UCT=UTC Universal=UTC GMT=Etc/GMT GMT0=Etc/GMT GMT+0=Etc/GMT GMT-0=Etc/GMT Greenwich=Etc/GMT Cuba=America/Havana ' +
  'Egypt=Africa/Cairo Eire=Europe/Dublin ' +
  'GB=Europe/London GB-Eire=Europe/London Hongkong=Asia/Hong_Kong Iceland=Atlantic/Reykjavik Iran=Asia/Tehran Israel=Asia/Jerusalem ' +
  'Jamaica=America/Jamaica Japan=Asia/Tokyo Kwajalein=Pacific/Kwajalein Libya=Africa/Tripoli Navajo=America/Denver NZ=Pacific/Auckland ' +
  'NZ-CHAT=Pacific/Chatham Poland=Europe/Warsaw Portugal=Europe/Lisbon PRC=Asia/Shanghai ROC=Asia/Taipei ROK=Asia/Seoul ' +
  'Singapore=Asia/Singapore Turkey=Europe/Istanbul W-SU=Europe/Moscow'

/** The states of each zone by country. A state with two zones is listed under the more populous one. */
const STATES: Record<string, Record<string, string>> = {
  AU: {
    'Australia/Sydney': 'NSW,New South Wales,ACT,Australian Capital Territory,JBT,Jervis Bay Territory',
    'Australia/Melbourne': 'VIC,Victoria',
    'Australia/Brisbane': 'QLD,Queensland',
    'Australia/Adelaide': 'SA,South Australia',
    'Australia/Perth': 'WA,Western Australia',
    'Australia/Hobart': 'TAS,Tasmania',
    'Australia/Darwin': 'NT,Northern Territory',
  },
  NZ: {
    'Pacific/Auckland':
      'Northland,Auckland,Waikato,Bay of Plenty,Gisborne,Tairawhiti,Hawkes Bay,Taranaki,Manawatu,Whanganui,Manawatu-Whanganui,Wellington,' +
      'Tasman,Nelson,Marlborough,West Coast,Canterbury,Otago,Southland,North Island,South Island',
    'Pacific/Chatham': 'Chatham Islands,Chatham Islands Territory',
  },
  US: {
    'America/New_York':
      'CT,Connecticut,DE,Delaware,DC,District of Columbia,Washington DC,FL,Florida,GA,Georgia,KY,Kentucky,ME,Maine,MD,Maryland,' +
      'MA,Massachusetts,NH,New Hampshire,NJ,New Jersey,NY,New York,NC,North Carolina,OH,Ohio,PA,Pennsylvania,RI,Rhode Island,' +
      'SC,South Carolina,VT,Vermont,VA,Virginia,WV,West Virginia',
    'America/Detroit': 'MI,Michigan',
    'America/Indiana/Indianapolis': 'IN,Indiana',
    'America/Chicago':
      'AL,Alabama,AR,Arkansas,IL,Illinois,IA,Iowa,KS,Kansas,LA,Louisiana,MN,Minnesota,MS,Mississippi,MO,Missouri,NE,Nebraska,' +
      'ND,North Dakota,OK,Oklahoma,SD,South Dakota,TN,Tennessee,TX,Texas,WI,Wisconsin',
    'America/Denver': 'CO,Colorado,MT,Montana,NM,New Mexico,UT,Utah,WY,Wyoming',
    'America/Boise': 'ID,Idaho',
    'America/Phoenix': 'AZ,Arizona',
    'America/Los_Angeles': 'CA,California,NV,Nevada,OR,Oregon,WA,Washington,Washington State',
    'America/Anchorage': 'AK,Alaska',
    'Pacific/Honolulu': 'HI,Hawaii',
    'America/Puerto_Rico': 'PR,Puerto Rico',
    'America/St_Thomas': 'VI,US Virgin Islands',
    'Pacific/Guam': 'GU,Guam',
    'Pacific/Saipan': 'MP,Northern Mariana Islands',
    'Pacific/Pago_Pago': 'AS,American Samoa',
  },
  CA: {
    'America/Edmonton': 'AB,Alberta,NT,Northwest Territories',
    'America/Vancouver': 'BC,British Columbia',
    'America/Winnipeg': 'MB,Manitoba',
    'America/Moncton': 'NB,New Brunswick',
    'America/St_Johns': 'NL,Newfoundland and Labrador,Newfoundland',
    'America/Halifax': 'NS,Nova Scotia,PE,PEI,Prince Edward Island',
    'America/Iqaluit': 'NU,Nunavut',
    'America/Toronto': 'ON,Ontario,QC,Quebec',
    'America/Regina': 'SK,Saskatchewan',
    'America/Whitehorse': 'YT,Yukon',
  },
  GB: { 'Europe/London': 'ENG,England,SCT,Scotland,WLS,Wales,Cymru,NIR,NI,Northern Ireland' },
}

/** Alternative names and codes of countries beyond those of Intl: alpha-3 codes, former names, and names that Intl has changed. */
const COUNTRY_ALIASES =
  'AE=UAE,ARE,Emirates; AU=AUS,Commonwealth of Australia; BA=Bosnia; BN=Brunei Darussalam; BO=Plurinational State of Bolivia; ' +
  'BR=BRA,Brasil; CA=CAN; CD=Congo,DRC,DR Congo,Democratic Republic of the Congo,Democratic Republic of Congo,Congo Kinshasa; ' +
  'CG=Republic of the Congo,Republic of Congo,Congo Brazzaville; CH=CHE; CI=Ivory Coast,Cote d Ivoire; ' +
  'CN=CHN,PRC,Peoples Republic of China,Mainland China; CV=Cape Verde,Cabo Verde; CZ=CZE,Czech Republic,Czechia; ' +
  'DE=DEU,Deutschland,Federal Republic of Germany; ES=ESP,Espana; FJ=FJI; FM=Federated States of Micronesia; FR=FRA; ' +
  'GB=UK,GBR,Britain,Great Britain,England,Scotland,Wales,Northern Ireland,United Kingdom of Great Britain and Northern Ireland; ' +
  'GM=Gambia; HK=HKG,Hong Kong; ID=IDN; IE=IRL,Eire,Republic of Ireland; IN=IND,Bharat; IR=Islamic Republic of Iran; ' +
  'IT=ITA,Italia; JP=JPN,Nippon; KP=DPRK,Democratic Peoples Republic of Korea; KR=KOR,Korea,Republic of Korea; ' +
  'LA=Lao Peoples Democratic Republic; MD=Republic of Moldova; MK=Macedonia; MM=Burma,Myanmar; MO=Macau,Macao; MX=MEX; MY=MYS; ' +
  'NL=NLD,Holland; NZ=NZL,Aotearoa,Aotearoa New Zealand; PG=PNG; PH=PHL; PS=Palestine,State of Palestine; ' +
  'RU=RUS,Russian Federation; SG=SGP; SY=Syrian Arab Republic; SZ=Swaziland,Eswatini; TH=THA; TL=East Timor,Timor Leste; ' +
  'TR=TUR,Turkey,Turkiye; TW=TWN; TZ=United Republic of Tanzania; US=USA,United States of America,America; VA=Vatican,Holy See; ' +
  'VE=Bolivarian Republic of Venezuela; VN=VNM,Viet Nam,Vietnam; ZA=ZAF,RSA,Republic of South Africa'

const splitPairs = (entry: string): [string, string] => {
  const at = entry.search(/[:=]/)
  return [entry.slice(0, at), entry.slice(at + 1)]
}

const countryZones = lazy(
  () =>
    new Map(
      Object.entries(COUNTRY_ZONES).flatMap(([area, entries]) =>
        entries.split(' ').map((entry) => {
          const [code, rest] = splitPairs(entry)
          return [code, `${area}/${rest}`] as const
        }),
      ),
    ),
)

const stateZones = lazy(
  () =>
    new Map(
      Object.entries(STATES).map(([country, zones]) => [
        country,
        new Map(Object.entries(zones).flatMap(([zone, names]) => names.split(',').map((name) => [nameKey(name), zone] as const))),
      ]),
    ),
)

const zonesByName = lazy(nameZones)
const countriesByName = lazy(nameCountries)

/**
 * Finds the IANA zone for a zone name in any case, or for the name or abbreviation of a state, and returns its canonical spelling.
 * `country` (a name or code) decides between states with the same abbreviation; without it Australia takes precedence, so WA is Perth.
 * Undefined for unknown names, offsets (`+10:00`) and their abbreviations (`EST`).
 */
export function toZone(text: string, country?: string | null): string | undefined {
  const zone = zonesByName().get(text.trim().replace(/\s+/g, '_').toLowerCase())
  return zone ?? findState(nameKey(text), [(country && countryCode(country)) || DEFAULT_COUNTRY.code, ...stateZones().keys()])
}

/**
 * The zone of a state, province or region by name or abbreviation. `country` is a name or code, Australia by default. In a country with
 * one time zone, every state has that zone. A state that is not found in Australia, the US or Canada is looked up in the other two, since
 * a contact's country may be a mere default; a state of any other country is not.
 */
export function zoneOfState(state: string, country?: string | null): string | undefined {
  const key = nameKey(state)
  if (key === '') return undefined
  const code = (country && countryCode(country)) || DEFAULT_COUNTRY.code
  const own = findState(key, [code])
  if (own !== undefined) return own
  if (!MANY_CLOCKS.has(code)) return zoneOfCountry(code)
  return stateZones().has(code) ? findState(key, [...stateZones().keys()]) : undefined
}

/** Whether a country, by its ISO 3166 alpha-2 code, has several time zones. */
export const hasManyZones = (iso2: string): boolean => MANY_CLOCKS.has(iso2)

/** The most populous zone of a country, by its ISO 3166 alpha-2 code in either case. */
export function zoneOfCountry(iso2: string): string | undefined {
  return countryZones().get(iso2.toUpperCase())
}

/** The ISO 3166 alpha-2 code for a country's English name, common alternative name or code; undefined when unknown. */
export function countryCode(text: string): string | undefined {
  return countriesByName().get(nameKey(text))
}

/** The English name of a country, by which it is stored; from the same texts as countryCode. */
export function toCountryName(text: string): string | undefined {
  const code = countryCode(text)
  return code && countryNames().of(code)
}

const countryNames = lazy(() => new Intl.DisplayNames(['en'], { type: 'region' }))

function findState(key: string, countries: string[]): string | undefined {
  for (const country of countries) {
    const zone = stateZones().get(country)?.get(key)
    if (zone !== undefined) return zone
  }
  return undefined
}

function nameZones(): Map<string, string> {
  const linked = Object.entries(LINKS).flatMap(([area, names]) => names.split(' ').map((name) => `${area}/${name}`))
  const etc = Array.from({ length: 26 }, (_, i) => (i < 14 ? `Etc/GMT-${i + 1}` : `Etc/GMT+${i - 13}`))
  const placed = [...Intl.supportedValuesOf('timeZone').filter((name) => name.includes('/')), ...linked, ...etc]
  const pairs = [...placed.map((name) => [name, name] as const), ...PLAIN_NAMES.split(' ').map(splitPairs)]
  return new Map(pairs.map(([name, zone]) => [name.toLowerCase(), zone]))
}

function nameCountries(): Map<string, string> {
  const names = countryNames()
  const codes = [...countryZones().keys()]
  const aliases = COUNTRY_ALIASES.split('; ').flatMap((entry) => {
    const [code, list] = splitPairs(entry)
    return list.split(',').map((name) => [name, code] as const)
  })
  const pairs = [...codes.map((code) => [names.of(code) ?? code, code] as const), ...codes.map((code) => [code, code] as const), ...aliases]
  return new Map(pairs.map(([name, code]) => [nameKey(name), code]))
}

/**
 * The normal form in which place names are compared: no accents, case, dots, apostrophes or leading "the"; & becomes and, Saint becomes
 * St.
 */
function nameKey(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/[\p{M}.'’‘ʻ]/gu, '')
    .toLowerCase()
    .replace(/&/g, ' and ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .replace(/^the /, '')
    .replace(/\bsaint\b/g, 'st')
}
