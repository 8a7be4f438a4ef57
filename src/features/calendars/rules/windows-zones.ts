import { lazy } from '../../../lib/lazy.ts'

/**
 * The zone of each name that Windows and Exchange use, grouped by area: `windowsZones` of the Unicode CLDR, territory 001, and two names
 * that Windows no longer lists.
 */
const WINDOWS_ZONES: Record<string, string> = {
  Africa:
    'E. Africa Standard Time=Nairobi; Egypt Standard Time=Cairo; Libya Standard Time=Tripoli; ' +
    'Morocco Standard Time=Casablanca; Namibia Standard Time=Windhoek; Sao Tome Standard Time=Sao_Tome; ' +
    'South Africa Standard Time=Johannesburg; South Sudan Standard Time=Juba; Sudan Standard Time=Khartoum; ' +
    'W. Central Africa Standard Time=Lagos',
  America:
    'Alaskan Standard Time=Anchorage; Aleutian Standard Time=Adak; Argentina Standard Time=Argentina/Buenos_Aires; ' +
    'Atlantic Standard Time=Halifax; Bahia Standard Time=Bahia; Canada Central Standard Time=Regina; ' +
    'Central America Standard Time=Guatemala; Central Brazilian Standard Time=Cuiaba; ' +
    'Central Standard Time (Mexico)=Mexico_City; Central Standard Time=Chicago; Cuba Standard Time=Havana; ' +
    'E. South America Standard Time=Sao_Paulo; Eastern Standard Time (Mexico)=Cancun; Eastern Standard Time=New_York; ' +
    'Greenland Standard Time=Nuuk; Haiti Standard Time=Port-au-Prince; Magallanes Standard Time=Punta_Arenas; ' +
    'Montevideo Standard Time=Montevideo; Mountain Standard Time (Mexico)=Mazatlan; Mountain Standard Time=Denver; ' +
    'Newfoundland Standard Time=St_Johns; Pacific SA Standard Time=Santiago; Pacific Standard Time (Mexico)=Tijuana; ' +
    'Pacific Standard Time=Los_Angeles; Paraguay Standard Time=Asuncion; SA Eastern Standard Time=Cayenne; ' +
    'SA Pacific Standard Time=Bogota; SA Western Standard Time=La_Paz; Saint Pierre Standard Time=Miquelon; ' +
    'Tocantins Standard Time=Araguaina; Turks And Caicos Standard Time=Grand_Turk; ' +
    'US Eastern Standard Time=Indiana/Indianapolis; US Mountain Standard Time=Phoenix; Venezuela Standard Time=Caracas; ' +
    'Yukon Standard Time=Whitehorse',
  Asia:
    'Afghanistan Standard Time=Kabul; Altai Standard Time=Barnaul; Arab Standard Time=Riyadh; Arabian Standard Time=Dubai; ' +
    'Arabic Standard Time=Baghdad; Azerbaijan Standard Time=Baku; Bangladesh Standard Time=Dhaka; ' +
    'Caucasus Standard Time=Yerevan; Central Asia Standard Time=Bishkek; China Standard Time=Shanghai; ' +
    'Ekaterinburg Standard Time=Yekaterinburg; Georgian Standard Time=Tbilisi; India Standard Time=Kolkata; ' +
    'Iran Standard Time=Tehran; Israel Standard Time=Jerusalem; Kamchatka Standard Time=Kamchatka; Jordan Standard Time=Amman; ' +
    'Korea Standard Time=Seoul; ' +
    'Magadan Standard Time=Magadan; Middle East Standard Time=Beirut; Myanmar Standard Time=Yangon; ' +
    'N. Central Asia Standard Time=Novosibirsk; Nepal Standard Time=Kathmandu; North Asia East Standard Time=Irkutsk; ' +
    'North Asia Standard Time=Krasnoyarsk; North Korea Standard Time=Pyongyang; Omsk Standard Time=Omsk; ' +
    'Pakistan Standard Time=Karachi; Qyzylorda Standard Time=Qyzylorda; Russia Time Zone 10=Srednekolymsk; ' +
    'Russia Time Zone 11=Kamchatka; SE Asia Standard Time=Bangkok; Sakhalin Standard Time=Sakhalin; ' +
    'Singapore Standard Time=Singapore; Sri Lanka Standard Time=Colombo; Syria Standard Time=Damascus; ' +
    'Taipei Standard Time=Taipei; Tokyo Standard Time=Tokyo; Tomsk Standard Time=Tomsk; Transbaikal Standard Time=Chita; ' +
    'Ulaanbaatar Standard Time=Ulaanbaatar; Vladivostok Standard Time=Vladivostok; W. Mongolia Standard Time=Hovd; ' +
    'West Asia Standard Time=Tashkent; West Bank Standard Time=Hebron; Yakutsk Standard Time=Yakutsk',
  Atlantic: 'Azores Standard Time=Azores; Cape Verde Standard Time=Cape_Verde; Greenwich Standard Time=Reykjavik',
  Australia:
    'AUS Central Standard Time=Darwin; AUS Eastern Standard Time=Sydney; Aus Central W. Standard Time=Eucla; ' +
    'Cen. Australia Standard Time=Adelaide; E. Australia Standard Time=Brisbane; Lord Howe Standard Time=Lord_Howe; ' +
    'Tasmania Standard Time=Hobart; W. Australia Standard Time=Perth',
  Etc:
    'Dateline Standard Time=GMT+12; UTC+12=GMT-12; UTC+13=GMT-13; UTC-02=GMT+2; UTC-08=GMT+8; UTC-09=GMT+9; UTC-11=GMT+11; ' +
    'Mid-Atlantic Standard Time=GMT+2; UTC=UTC',
  Europe:
    'Astrakhan Standard Time=Astrakhan; Belarus Standard Time=Minsk; Central Europe Standard Time=Budapest; ' +
    'Central European Standard Time=Warsaw; E. Europe Standard Time=Chisinau; FLE Standard Time=Kyiv; ' +
    'GMT Standard Time=London; GTB Standard Time=Bucharest; Kaliningrad Standard Time=Kaliningrad; ' +
    'Romance Standard Time=Paris; Russia Time Zone 3=Samara; Russian Standard Time=Moscow; Saratov Standard Time=Saratov; ' +
    'Turkey Standard Time=Istanbul; Volgograd Standard Time=Volgograd; W. Europe Standard Time=Berlin',
  Indian: 'Mauritius Standard Time=Mauritius',
  Pacific:
    'Bougainville Standard Time=Bougainville; Central Pacific Standard Time=Guadalcanal; ' +
    'Chatham Islands Standard Time=Chatham; Easter Island Standard Time=Easter; Fiji Standard Time=Fiji; ' +
    'Hawaiian Standard Time=Honolulu; Line Islands Standard Time=Kiritimati; Marquesas Standard Time=Marquesas; ' +
    'New Zealand Standard Time=Auckland; Norfolk Standard Time=Norfolk; Samoa Standard Time=Apia; ' +
    'Tonga Standard Time=Tongatapu; West Pacific Standard Time=Port_Moresby',
}

/** By the name in lower case. */
export const windowsZones = lazy(
  () =>
    new Map(
      Object.entries(WINDOWS_ZONES).flatMap(([area, entries]) =>
        entries.split('; ').map((entry): [string, string] => {
          const [name = '', zone] = entry.split('=')
          return [name.toLowerCase(), `${area}/${zone}`]
        }),
      ),
    ),
)

/** The IANA zone of a Windows zone name, in any case; undefined for one that Windows does not have. */
export const zoneOfWindows = (name: string): string | undefined => windowsZones().get(name.trim().toLowerCase())
