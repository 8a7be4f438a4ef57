import { CONSENT_BASES } from '../../lead-gen/rules/consent.ts'
import type { Field, Kind } from './kinds.ts'

/**
 * The names of columns in lists of people who were found, as directories, maps and prospecting tools write them, in English, German,
 * French, Spanish, Italian, Dutch and Portuguese. They are squashed (see names.ts).
 */
const NAMES = {
  name:
    'fullname contactname contact person leadname lead displayname title placename businessname kontakt ansprechpartner nomcomplet ' +
    'nombrecompleto nombreapellidos nomecompleto naam contactpersoon nomecognome',
  first_name: 'firstname givenname forename first vorname prenom nombre nome voornaam',
  last_name:
    'lastname surname familyname last nachname familienname nom nomdefamille apellido apellidos cognome achternaam sobrenome apelido',
  company_name:
    'company companyname business organisation organization account accountname employer firm firma unternehmen betrieb societe ' +
    'entreprise raisonsociale empresa compania razonsocial azienda societa bedrijf bedrijfsnaam',
  email:
    'emailaddress mail workemail businessemail primaryemail emailadresse mailadresse adresseemail adressemail courriel correo ' +
    'correoelectronico indirizzoemail emailadres enderecodeemail',
  phone:
    'phonenumber telephone tel mobile mobilephone mobilenumber cell cellphone workphone directphone corporatephone companyphone ' +
    'telefon telefonnummer handy mobil portable numerodetelephone telefono movil celular cellulare telefoon telefoonnummer ' +
    'mobiel telefone telemovel',
  website:
    'websiteurl url web homepage domain companydomain companywebsite webseite internetseite siteweb siteinternet site ' +
    'sitioweb paginaweb sitoweb',
  city: 'town suburb locality companycity stadt ort ville commune ciudad localidad citta comune plaats woonplaats stad cidade',
  country: 'countryregion countrycode companycountry nation land pays pais paese nazione',
  source: 'origin leadsource foundat foundon quelle herkunft origine fuente origen fonte bron',
  source_id: 'sourceid externalid recordid foreignid placeid googleplaceid cid quellenid identifiant',
  consent_basis:
    'consentbasis legalbasis lawfulbasis gdprbasis basis rechtsgrundlage einwilligung basejuridique baselegale consentement baselegal ' +
    'consentimiento basegiuridica consenso grondslag toestemming consentimento',
} as const

const KINDS: Partial<Record<string, Kind>> = { email: 'email', phone: 'phone', website: 'web_address', consent_basis: 'option' }

/** The fields of a result of lead generation. */
export const LEAD_FIELDS: Field[] = Object.entries(NAMES).map(([name, also]) => ({
  name,
  kind: KINDS[name] ?? 'text',
  also: also.split(' '),
  ...(name === 'consent_basis' && { options: CONSENT_BASES }),
}))
