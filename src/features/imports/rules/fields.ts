import { DIRECTIONS, WRITTEN_TYPES } from '../../activities/rules/activities.ts'
import { CONTACT_SOURCES } from '../../contacts/rules/types.ts'
import { PRIORITIES, TASK_STATUSES, TASK_TYPES } from '../../tasks/rules/tasks.ts'
import { CONSENT_FIELDS } from './consent.ts'
import { customField } from './custom-fields.ts'
import { CUSTOM, type Field, type Kind, LISTS, type Referred } from './kinds.ts'
import { LEAD_FIELDS } from './lead-fields.ts'
import type { Definition, ImportObject } from './types.ts'

const EMAIL = { between: /[,\s]+/, spill: 'alternate_emails' }
const PHONE = { between: /[,/]/, spill: 'alternate_phones' }

const field = (name: string, kind: Kind = 'text', also = '', more: Partial<Field> = {}): Field => ({
  name,
  kind,
  also: also.split(' ').filter(Boolean),
  ...more,
})
const reference = (name: string, to: Referred, becomes: string, also: string, more: Partial<Field> = {}) =>
  field(name, 'reference', also, { to, becomes, ...more })

const ARCHIVED = field('archived', 'boolean', 'isarchived')
const EXTERNAL = field('external_id', 'text', 'externalid sourceid recordid foreignid legacyid')
const ID = field('id', 'id', 'crmid')
const ADDRESS = [
  field('address_line1', 'text', 'address address1 street streetaddress addressline mailingstreet billingstreet strasse'),
  field('address_line2', 'text', 'address2 suite unit apartment'),
  field('city', 'text', 'town suburb mailingcity billingcity ort stadt locality'),
  field('state', 'text', 'province region county stateprovince mailingstate billingstate bundesland'),
  field('postal_code', 'text', 'postcode zip zipcode postalcode plz mailingzip billingzip'),
]
const COUNTRY = field('country', 'text', 'countryregion officelocation land nation')
const NOTES = field('notes', 'lines', 'note comments comment remarks')
const OWNER = reference(
  'owner',
  'member',
  'assigned_to',
  'assignedto salesagent salesrep rep owneremail contactowner accountowner companyowner dealowner responsible',
)
const TAGS = field('tags', 'tags', 'tag labels label')
const COMPANY = reference(
  'company',
  'company',
  'customer_id',
  'account accountname companyname organisation organization employer firm customer customerid firma',
  { between: /;/ },
)

const CONTACT = reference(
  'contact',
  'contact',
  'contact_id',
  'contactid contactname contactemail person personname customer email client attendee',
)
const opportunityIn = (column: string) =>
  reference('opportunity', 'opportunity', column, 'deal dealid dealname dealtitle opportunityname opportunityid')
const LINKS = [{ ...CONTACT, all: 'contact_ids', between: /;/ }, COMPANY, opportunityIn('deal_id')]

export const FIELDS: Record<ImportObject, Field[]> = {
  contacts: [
    ID,
    field('name', 'full_name', 'fullname contactname contact person displayname'),
    field('first_name', 'text', 'firstname givenname forename first vorname prenom'),
    field('last_name', 'text', 'lastname surname familyname last nachname nom'),
    field('email', 'email', 'emailaddress mail primaryemail workemail emailid', EMAIL),
    field('alternate_emails', 'emails', 'otheremails otheremail secondaryemail email2 email3 additionalemails'),
    field('phone', 'phone', 'mobile mobilephone cell cellphone phonenumber telephone tel mobilenumber handy', PHONE),
    field('alternate_phones', 'phones', 'otherphones otherphone secondaryphone phone2 phone3 mobile2 mobilephone2 additionalphones'),
    field('landline', 'phone', 'workphone officephone businessphone homephone directline telefon', PHONE),
    field('job_title', 'text', 'title jobtitle position role jobrole funktion'),
    COMPANY,
    OWNER,
    TAGS,
    field('contact_type', 'text', 'type contacttype category lifecyclestage'),
    field('date_of_birth', 'birthday', 'dob birthday birthdate dateofbirth geburtsdatum'),
    NOTES,
    field('source', 'option', 'origin', { options: CONTACT_SOURCES }),
    reference('lead_source', 'lead_source', 'source_id', 'leadsource sourcename'),
    ...ADDRESS,
    COUNTRY,
    field('timezone', 'text', 'tz timezone'),
    field('is_primary', 'boolean', 'primary primarycontact'),
    field('relationship_started_at', 'moment', 'customersince since relationshipstart'),
    field('email_unsubscribed', 'consent', 'unsubscribed optout emailoptout unsubscribedfromemail'),
    field('sms_unsubscribed', 'consent', 'smsoptout'),
    field('voice_unsubscribed', 'consent', 'donotcall'),
    field('whatsapp_unsubscribed', 'consent', 'whatsappoptout'),
    field('is_referrer', 'boolean', 'referrer referralpartner'),
    field('referrer_category', 'text', 'referrertier'),
    EXTERNAL,
    ARCHIVED,
  ],
  companies: [
    ID,
    field('name', 'text', 'account accountname company companyname organisation organization business customer firma'),
    field('description', 'lines', 'about'),
    field('email', 'email', 'emailaddress mail companyemail', EMAIL),
    field('phone', 'phone', 'phonenumber telephone tel mainphone telefon', PHONE),
    field('website_url', 'web_address', 'website url web homepage domain companydomain', { between: /[,;\s]/ }),
    field('domains', 'domains', 'companydomains otherdomains additionaldomains'),
    field('industry', 'text', 'sector vertical branche'),
    field('account_type', 'text', 'type companytype category'),
    field('abn', 'text', 'businessnumber vat vatnumber taxid registrationnumber'),
    ...ADDRESS,
    COUNTRY,
    field('timezone', 'text', 'tz timezone'),
    field('founded_year', 'number', 'founded yearestablished established yearfounded'),
    field('annual_revenue', 'number', 'revenue turnover annualturnover'),
    field('employee_count', 'number', 'employees numberofemployees headcount staff size'),
    reference('parent_company', 'company', 'parent_company_id', 'subsidiaryof parent parentaccount parentcompanyid holding'),
    OWNER,
    TAGS,
    NOTES,
    EXTERNAL,
    ARCHIVED,
  ],
  opportunities: [
    ID,
    field('name', 'text', 'opportunity opportunityname deal dealname title project'),
    field('description', 'lines', 'details'),
    field('value', 'number', 'amount closevalue dealvalue price total worth betrag'),
    field('currency', 'text', 'currencycode currencyisocode'),
    COMPANY,
    reference('contact', 'contact', 'contacts', 'contactid contactname contactperson primarycontact', { links: true, between: /;/ }),
    OWNER,
    reference('pipeline', 'pipeline', 'pipeline_id', 'pipelinename pipelineid'),
    reference('stage', 'stage', 'stage_id', 'dealstage stagename stageid status phase'),
    field('opportunity_type', 'text', 'type dealtype'),
    field('lead_source', 'text', 'leadsource source campaign'),
    field('lost_reasons', 'list', 'lostreason lossreason'),
    field('won_reasons', 'list', 'wonreason'),
    TAGS,
    NOTES,
    field('opened_at', 'moment', 'engagedate opendate createdate createddate startdate'),
    field('expected_close_date', 'date', 'expectedclose forecastdate expectedclosedate targetdate'),
    field('closed_at', 'moment', 'closeddate wondate'),
    // The date of closing if the stage is won or lost, otherwise the expected one.
    field('close_date', 'date', 'closingdate', { becomes: 'closed_at' }),
    field('next_action_type', 'text', 'nextaction'),
    field('next_action_note', 'lines', 'nextstep'),
    field('next_action_at', 'moment', 'nextactiondate'),
    field('line_items', 'line_items', '', { becomes: 'products' }),
    field('external_id', 'text', `${EXTERNAL.also.join(' ')} opportunityid dealid`),
    ARCHIVED,
  ],
  products: [
    ID,
    field('name', 'text', 'product productname item itemname title'),
    field('sku', 'text', 'productcode itemcode code articlenumber partnumber itemnumber stockcode'),
    field('category', 'text', 'productfamily family productcategory group producttype'),
    field('description', 'lines', 'details productdescription'),
    field('price', 'number', 'unitprice listprice saleprice salesprice rate preis'),
    field('cost', 'number', 'unitcost costprice purchaseprice costofgoodssold'),
    field('currency', 'text', 'currencycode currencyisocode'),
    field('unit', 'text', 'unitofmeasure uom quantityunit'),
    field('tax_percent', 'number', 'tax taxrate vat vatrate gst'),
    field('is_active', 'boolean', 'active enabled productactive'),
    EXTERNAL,
    ARCHIVED,
  ],
  supplier_catalog_entries: [
    ID,
    reference('supplier', 'company', 'supplier_id', 'suppliername supplierexternalid vendor vendorname vendorid lieferant fournisseur'),
    reference('product', 'product', 'product_id', 'productname productsku sku productcode item itemname itemcode articlenumber partnumber'),
    field('supplier_price', 'number', 'price unitprice cost unitcost costprice purchaseprice buyingprice netprice einkaufspreis'),
    field('currency', 'text', 'currencycode currencyisocode'),
    field('supplier_sku', 'text', 'suppliercode supplieritemnumber supplierpartnumber vendorsku vendorcode'),
    field('min_quantity', 'number', 'minimumquantity minquantity minqty moq minimumorderquantity mindestmenge quantityfrom'),
    field('lead_time_days', 'number', 'leadtime leadtimedays deliverydays lieferzeit'),
    field('valid_from', 'date', 'validfrom startdate fromdate effectivefrom effectivedate gueltigab'),
    field('valid_to', 'date', 'validto validuntil enddate todate expirydate expires gueltigbis'),
    field('is_preferred', 'boolean', 'preferred preferredsupplier ispreferred'),
    NOTES,
    EXTERNAL,
  ],
  tasks: [
    ID,
    field('title', 'text', 'task taskname tasktitle tasksubject subject name todo'),
    field('description', 'lines', 'details notes note comments body tasknotes taskbody'),
    field('task_type', 'option', '', { options: TASK_TYPES }),
    field('status', 'option', 'state taskstatus', { options: TASK_STATUSES }),
    field('priority', 'option', 'taskpriority', { options: PRIORITIES }),
    field('due_at', 'instant', 'due duedate deadline dueon dueby activitydate'),
    field('all_day', 'boolean', 'allday'),
    field('reminder_at', 'instant', 'reminder remindat reminderdate'),
    field('recurrence', 'json'),
    { ...OWNER, also: [...OWNER.also, 'assignee', 'taskowner', 'assignedtoname'] },
    CONTACT,
    COMPANY,
    opportunityIn('opportunity_id'),
    field('external_id', 'text', `${EXTERNAL.also.join(' ')} taskid`),
    ARCHIVED,
  ],
  activities: [
    ID,
    field('activity_type', 'option', 'type activitytype kind', { options: WRITTEN_TYPES }),
    field('subject', 'text', 'title activitysubject'),
    field('body', 'lines', 'description notes note details text content comments'),
    field('direction', 'option', 'calldirection', { options: DIRECTIONS }),
    field('duration_seconds', 'number', 'duration durationinseconds callduration calldurationinseconds'),
    field('outcome', 'text', 'result calloutcome callresult disposition calldisposition'),
    field('occurred_at', 'instant', 'date activitydate timestamp time when start starttime startdate createdate createdat'),
    ...LINKS,
  ],
  notes: [
    ID,
    field('body', 'lines', 'note notes content text description comment notebody notecontent'),
    field('subject', 'text', 'title notetitle'),
    field('occurred_at', 'instant', 'date notedate timestamp createdate createdat createddate createdtime'),
    ...LINKS,
  ],
  lead_results: [ID, ...LEAD_FIELDS],
}

/** Fields required to create a record: at least one of each list. */
export const REQUIRED: Record<ImportObject, string[]> = {
  contacts: ['first_name', 'name'],
  companies: ['name'],
  opportunities: ['name'],
  products: ['name'],
  supplier_catalog_entries: ['supplier_price'],
  tasks: ['title'],
  activities: ['activity_type'],
  notes: ['body'],
  lead_results: ['name', 'first_name'],
}

/** What may stand for the name of a record that has none. */
export const SUBSTITUTES: Partial<Record<ImportObject, string[]>> = {
  contacts: ['last_name', 'company', 'email', 'alternate_emails', 'phone', 'alternate_phones', 'landline'],
  lead_results: ['last_name', 'company_name'],
}

/**
 * The fields of which a file must have a column to be taken for one of these records without being told. Notes look like any other file.
 */
export const TELLING: Partial<Record<ImportObject, string[]>> = {
  products: ['sku', 'price', 'cost', 'tax_percent'],
  supplier_catalog_entries: ['supplier'],
  tasks: ['due_at', 'priority'],
  activities: ['activity_type', 'occurred_at'],
  notes: [],
  lead_results: ['consent_basis'],
}

/** Whether an object has a field with this name. */
export const isFieldOf = (object: ImportObject, name: string): boolean =>
  name.startsWith(CUSTOM)
    ? !['supplier_catalog_entries', 'lead_results'].includes(object) && name.length > CUSTOM.length
    : FIELDS[object].some((own) => own.name === name)

/** Fields that may have several columns although they have one value: the first column with a value fills them. */
const FIRST_OF_SEVERAL = ['company', 'stage', 'closed_at', 'website_url', 'lead_source', 'description', 'notes', 'currency']
const COLLECTING: readonly Kind[] = ['email', 'phone', ...LISTS, 'options', 'consent']

/** Whether several columns may fill the field. */
export const takesSeveral = ({ name, kind }: Field): boolean => COLLECTING.includes(kind) || FIRST_OF_SEVERAL.includes(name)

/** The fields of an object that take further values of a cell. */
export function spillFields(object: ImportObject): string[] {
  const names = FIELDS[object].map(({ name }) => name)
  return [...new Set(FIELDS[object].flatMap(({ spill }) => (spill && names.includes(spill) ? [spill] : [])))]
}

export const isConsent = (name: string): boolean => name in CONSENT_FIELDS

/** Finds a field by name. A metadata value that is not a custom field is parsed as JSON if it is an object or a list, otherwise as text. */
export function fieldOf(object: ImportObject, name: string, definitions: Definition[]): Field | undefined {
  if (!name.startsWith(CUSTOM)) return FIELDS[object].find((own) => own.name === name)
  const definition = definitions.find(({ key }) => CUSTOM + key === name)
  return definition ? customField(name, definition) : { name, kind: 'json', also: [] }
}
