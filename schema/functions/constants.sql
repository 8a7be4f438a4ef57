-- Generated from src/domain: `CONSTANTS=write npx vitest run test/contract/sql-constants.test.ts` writes it.

-- State machines: for each transition, the states that it starts from and what each changes to.
create or replace function transitions(p_key text) returns jsonb immutable parallel safe language sql
  return case p_key
    when 'approval' then '{"approve":{"pending":"approved"},"reject":{"pending":"rejected"},"expire":{"pending":"expired"},
      "execute":{"approved":"executed"},"fail":{"approved":"failed"},"replay":{"failed":"approved"},
      "purge":{"pending":"rejected","approved":"rejected"}}'::jsonb
    when 'auto_queue' then '{"activate":{"draft":"active","inactive":"active"},"deactivate":{"active":"inactive"}}'::jsonb
    when 'automation' then '{"publish":{"draft":"published","published":"published","paused":"published"},
      "pause":{"published":"paused"},"resume":{"paused":"published"}}'::jsonb
    when 'booking' then '{"confirm":{"pending":"confirmed"},"decline":{"pending":"cancelled"},
      "cancel":{"pending":"cancelled","confirmed":"cancelled"},"reschedule":{"pending":"cancelled","confirmed":"cancelled"},
      "reassign":{"pending":"pending","confirmed":"confirmed"},
      "mark_attended":{"pending":"attended","confirmed":"attended","cancelled":"attended","attended":"attended","late":"attended",'
      '"no_show":"attended"},
      "mark_late":{"pending":"late","confirmed":"late","cancelled":"late","attended":"late","late":"late","no_show":"late"},
      "mark_no_show":{"pending":"no_show","confirmed":"no_show","cancelled":"no_show","attended":"no_show","late":"no_show",'
      '"no_show":"no_show"}}'::jsonb
    when 'booking_copy' then '{
      "plan":{"pending":"pending","synced":"pending","retrying":"pending","failed":"pending","not_connected":"pending"},
      "sync":{"pending":"synced","retrying":"synced"},"retry":{"pending":"retrying","retrying":"retrying"},
      "fail":{"pending":"failed","retrying":"failed"},
      "disconnect":{"pending":"not_connected","retrying":"not_connected","synced":"not_connected"}}'::jsonb
    when 'booking_notice' then '{"send":{"due":"sent","unknown":"sent"},"skip":{"due":"skipped","unknown":"skipped"},
      "cancel":{"due":"cancelled","unknown":"cancelled"},"doubt":{"due":"unknown"},"retry":{"unknown":"due"}}'::jsonb
    when 'email_campaign' then '{"schedule":{"draft":"scheduled","scheduled":"scheduled"},"unschedule":{"scheduled":"draft"},
      "send":{"draft":"sending","scheduled":"sending"},"pause":{"sending":"paused"},"resume":{"paused":"sending"},
      "finish":{"sending":"sent"},"fail":{"scheduled":"failed","sending":"failed"}}'::jsonb
    when 'email_draft' then '{"schedule":{"draft":"scheduled","scheduled":"scheduled","failed":"scheduled"},
      "cancel":{"scheduled":"draft"},"send":{"draft":"sent","scheduled":"sent","failed":"sent"},
      "fail":{"scheduled":"failed","sent":"failed"}}'::jsonb
    when 'hold' then '{"book":{"held":"booked"},"release":{"held":"released"},"expire":{"held":"expired"}}'::jsonb
    when 'import' then '{"update":{"ready":"ready","checked":"ready"},"check":{"ready":"checking","checked":"checking"},
      "run":{"ready":"running","checked":"running","failed":"running","cancelled":"running"},
      "undo":{"finished":"undoing","failed":"undoing","cancelled":"undoing"},"cancel":{"checking":"ready","running":"cancelled"},
      "finish":{"checking":"checked","running":"finished","undoing":"undone"},
      "fail":{"checking":"ready","running":"failed","undoing":"failed"}}'::jsonb
    when 'invoice' then '{"send":{"draft":"sent"},
      "pay_in_part":{"draft":"partially_paid","sent":"partially_paid","paid":"partially_paid"},
      "pay_in_full":{"draft":"paid","sent":"paid","partially_paid":"paid"},
      "remove_payments":{"partially_paid":"sent","paid":"sent"},
      "void":{"draft":"void","sent":"void","partially_paid":"void","paid":"void"}}'::jsonb
    when 'message' then '{"claim":{"queued":"sending"},"settle":{"queued":"sent","sending":"sent","unclear":"sent"},
      "doubt":{"sending":"unclear"},"retry":{"sending":"queued","unclear":"queued"},
      "fail":{"queued":"failed","sending":"failed","unclear":"failed"}}'::jsonb
    when 'notetaker' then '{"schedule":{"requested":"scheduled"},"join":{"requested":"joining","scheduled":"joining"},
      "record":{"requested":"recording","scheduled":"recording","joining":"recording"},
      "finish":{"requested":"done","scheduled":"done","joining":"done","recording":"done"},
      "fail":{"requested":"failed","scheduled":"failed","joining":"failed","recording":"failed"},
      "cancel":{"requested":"cancelled","scheduled":"cancelled","joining":"cancelled"}}'::jsonb
    when 'reputation_case_study' then '{"approve":{"draft":"approved"},"publish":{"approved":"published"},
      "unpublish":{"published":"approved"}}'::jsonb
    when 'reputation_review' then '{"approve":{"draft":"approved","rejected":"approved"},
      "reject":{"draft":"rejected","approved":"rejected"},"publish":{"approved":"published"},
      "unpublish":{"published":"approved"}}'::jsonb
    when 'review_request' then '{"cancel":{"queued":"cancelled","sent":"cancelled","reminded":"cancelled"},
      "send":{"queued":"sent"},"remind":{"sent":"reminded"},"stop":{"queued":"stopped","sent":"stopped","reminded":"stopped"},
      "review":{"queued":"reviewed","sent":"reviewed","reminded":"reviewed","stopped":"reviewed"}}'::jsonb
    when 'service_request' then '{"start":{"open":"in_progress","waiting":"in_progress","done":"in_progress"},
      "wait":{"open":"waiting","in_progress":"waiting"},"finish":{"open":"done","in_progress":"done","waiting":"done"},
      "close":{"open":"closed","in_progress":"closed","waiting":"closed","done":"closed"},
      "reopen":{"in_progress":"open","waiting":"open","done":"open","closed":"open"}}'::jsonb
    when 'task' then '{"complete":{"open":"completed","in_progress":"completed"},"reopen":{"completed":"open"}}'::jsonb
    when 'waiting_list_entry' then '{"offer":{"waiting":"offered"},"book":{"offered":"booked"},"lapse":{"offered":"lapsed"},
      "leave":{"waiting":"left","offered":"left"},"expire":{"waiting":"expired"}}'::jsonb end;

-- The plural of an entity: the name of its table, and of what is imported.
create or replace function plural_of(p_key text) returns text immutable parallel safe language sql
  return case p_key
    when 'contact' then 'contacts'
    when 'company' then 'companies'
    when 'opportunity' then 'opportunities'
    when 'product' then 'products'
    when 'task' then 'tasks'
    when 'activity' then 'activities' end;

-- The entity of a plural.
create or replace function entity_of(p_key text) returns text immutable parallel safe language sql
  return case p_key
    when 'contacts' then 'contact'
    when 'companies' then 'company'
    when 'opportunities' then 'opportunity'
    when 'products' then 'product'
    when 'tasks' then 'task'
    when 'activities' then 'activity' end;

-- The table of the records whose ids are the values of a custom field, by its type; null for other types.
create or replace function custom_target_table(p_key text) returns text immutable parallel safe language sql
  return case p_key
    when 'member' then 'memberships'
    when 'contact' then 'contacts'
    when 'company' then 'companies'
    when 'opportunity' then 'opportunities' end;

-- The entity that the lines of an import become, by its object.
create or replace function imported_entity(p_key text) returns text immutable parallel safe language sql
  return case p_key
    when 'contacts' then 'contact'
    when 'companies' then 'company'
    when 'opportunities' then 'opportunity'
    when 'products' then 'product'
    when 'supplier_catalog_entries' then 'supplier_catalog_entry'
    when 'tasks' then 'task'
    when 'activities' then 'activity'
    when 'notes' then 'activity'
    when 'lead_results' then 'lead_result' end;

-- The table of an entity that is imported.
create or replace function imported_table(p_key text) returns text immutable parallel safe language sql
  return case p_key
    when 'contact' then 'contacts'
    when 'company' then 'companies'
    when 'opportunity' then 'opportunities'
    when 'product' then 'products'
    when 'supplier_catalog_entry' then 'supplier_catalog_entries'
    when 'task' then 'tasks'
    when 'activity' then 'activities'
    when 'lead_result' then 'lead_results' end;

-- The resource of the scopes of an entity that is imported.
create or replace function imported_scope(p_key text) returns text immutable parallel safe language sql
  return case p_key
    when 'contact' then 'contacts'
    when 'company' then 'companies'
    when 'opportunity' then 'opportunities'
    when 'product' then 'products'
    when 'supplier_catalog_entry' then 'products'
    when 'task' then 'tasks'
    when 'activity' then 'activities'
    when 'lead_result' then 'lead-gen' end;

-- The message for an invalid value of a custom field, by its type.
create or replace function custom_message(p_key text) returns text immutable parallel safe language sql
  return case p_key
    when 'text' then 'must be text of at most 500 characters'
    when 'long_text' then 'must be text of at most 20000 characters'
    when 'date' then 'must be a date of the calendar, such as 2026-03-31'
    when 'url' then 'must be a whole web address that starts with http:// or https://, of at most 500 characters'
    when 'email' then 'must be an email address, such as ana@example.com'
    when 'phone' then 'must be a phone number, such as +61 412 345 678'
    when 'money' then
      'must be an amount with at most two decimals and a currency of ISO 4217, such as {"amount": 1200.5, "currency": "AUD"}'
    when 'member' then 'must be the id of a member'
    when 'contact' then 'must be the id of a contact'
    when 'company' then 'must be the id of a company'
    when 'opportunity' then 'must be the id of an opportunity' end;

-- The most characters of a custom value.
create or replace function custom_max_length(p_key text) returns int immutable parallel safe language sql
  return case p_key
    when 'text' then 500
    when 'long_text' then 20000
    when 'url' then 500
    when 'email' then 254 end;

-- The form of a custom value, without regard to case.
create or replace function custom_pattern(p_key text) returns text immutable parallel safe language sql
  return case p_key
    when 'date' then '^\d{4}-\d\d-\d\d$'
    when 'url' then '^https?://[^\s\\]+$'
    when 'email' then '^[^\s@]+@[^\s@]+\.[a-z0-9-]{2,}$'
    when 'phone' then '^\+?[0-9 ().\-/]{5,40}$'
    when 'member' then '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    when 'contact' then '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    when 'company' then '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    when 'opportunity' then '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' end;

-- The fewest digits of a custom value.
create or replace function custom_min_digits(p_key text) returns int immutable parallel safe language sql
  return case p_key
    when 'phone' then 5 end;

-- Whether amounts can have the currency (ISO 4217).
create or replace function is_currency(p_code text) returns boolean immutable parallel safe language sql
  return coalesce(p_code = any ('{AED,AFN,ALL,AMD,ANG,AOA,ARS,AUD,AWG,AZN,BAM,BBD,BDT,BGN,BHD,BIF,BMD,BND,BOB,BRL,BSD,BTN,BWP,BYN,
      BZD,CAD,CDF,CHF,CLP,CNY,COP,CRC,CUP,CVE,CZK,DJF,DKK,DOP,DZD,EGP,ERN,ETB,EUR,FJD,FKP,GBP,GEL,GHS,GIP,GMD,GNF,GTQ,GYD,HKD,HNL,
      HTG,HUF,IDR,ILS,INR,IQD,IRR,ISK,JMD,JOD,JPY,KES,KGS,KHR,KMF,KPW,KRW,KWD,KYD,KZT,LAK,LBP,LKR,LRD,LSL,LYD,MAD,MDL,MGA,MKD,MMK,
      MNT,MOP,MRU,MUR,MVR,MWK,MXN,MYR,MZN,NAD,NGN,NIO,NOK,NPR,NZD,OMR,PAB,PEN,PGK,PHP,PKR,PLN,PYG,QAR,RON,RSD,RUB,RWF,SAR,SBD,SCR,
      SDG,SEK,SGD,SHP,SLE,SOS,SRD,SSP,STN,SVC,SYP,SZL,THB,TJS,TMT,TND,TOP,TRY,TTD,TWD,TZS,UAH,UGX,USD,UYU,UZS,VED,VES,VND,VUV,WST,
      XAF,XCD,XCG,XOF,XPF,YER,ZAR,ZMW,ZWG}'::text[]), false);

-- The largest amount of money, in any currency.
create or replace function custom_max_amount() returns numeric immutable parallel safe language sql
  return 999999999999.99;

-- Whether anyone gets an email address of the domain.
create or replace function is_public_mail_domain(p_domain text) returns boolean immutable parallel safe language sql
  return p_domain = any ('{gmail.com,googlemail.com,outlook.com,outlook.com.au,hotmail.com,hotmail.com.au,hotmail.co.uk,
      hotmail.de,hotmail.fr,live.com,live.com.au,live.co.uk,msn.com,passport.com,windowslive.com,icloud.com,me.com,mac.com,
      aol.com,aim.com,yahoo.com,yahoo.com.au,yahoo.co.uk,yahoo.co.in,yahoo.co.jp,yahoo.co.nz,yahoo.ca,yahoo.de,yahoo.fr,yahoo.es,
      yahoo.it,ymail.com,rocketmail.com,proton.me,protonmail.com,pm.me,tutanota.com,tuta.io,tuta.com,fastmail.com,fastmail.fm,
      hey.com,zoho.com,zohomail.com,mail.com,email.com,gmx.com,gmx.net,gmx.de,gmx.at,gmx.ch,web.de,t-online.de,freenet.de,
      arcor.de,posteo.de,mailbox.org,orange.fr,wanadoo.fr,free.fr,laposte.net,sfr.fr,libero.it,virgilio.it,tiscali.it,alice.it,
      bigpond.com,bigpond.net.au,optusnet.com.au,iinet.net.au,tpg.com.au,westnet.com.au,internode.on.net,xtra.co.nz,
      btinternet.com,sky.com,talktalk.net,virginmedia.com,ntlworld.com,comcast.net,verizon.net,att.net,sbcglobal.net,
      bellsouth.net,cox.net,charter.net,earthlink.net,juno.com,rogers.com,shaw.ca,sympatico.ca,telus.net,mail.ru,bk.ru,list.ru,
      inbox.ru,yandex.ru,yandex.com,rambler.ru,qq.com,163.com,126.com,sina.com,naver.com,daum.net,hanmail.net,rediffmail.com,
      uol.com.br,bol.com.br,seznam.cz,wp.pl,o2.pl,onet.pl,interia.pl,bluewin.ch,telenet.be,skynet.be,ziggo.nl,kpnmail.nl,
      telia.com}'::text[]);

-- After this many deliveries an event has failed.
create or replace function max_delivery_attempts() returns int immutable parallel safe language sql
  return 20;

-- The most dependants that a request deletes itself. A database may have a lower limit, as those of tests do.
create or replace function most_dependants() returns int stable language sql
  return coalesce(nullif(current_setting('app.most_dependants', true), '')::int, 2000);

-- The most dependants of a record that no job deletes. A database may have a lower limit, as those of tests do.
create or replace function most_at_once() returns int stable language sql
  return coalesce(nullif(current_setting('app.most_dependants', true), '')::int, 10000);

-- The most deletions of a workspace that run at the same time, because every request compares with them.
create or replace function most_deletions() returns int immutable parallel safe language sql
  return 200;

-- The tables whose records the background deletes when they have many dependants.
create or replace function deleted_in_batches() returns text[] immutable parallel safe language sql
  return '{contacts,companies,opportunities}'::text[];

-- The most lists of a workspace that track their membership.
create or replace function max_tracked_lists() returns int immutable parallel safe language sql
  return 20;

-- The most slugs that a profile has had.
create or replace function max_reputation_slugs() returns int immutable parallel safe language sql
  return 100;

-- How long before the start of a meeting its notetaker joins.
create or replace function notetaker_lead() returns interval immutable parallel safe language sql
  return interval '60 seconds';

-- How many minutes longer than the meeting a recording may last.
create or replace function notetaker_overtime() returns int immutable parallel safe language sql
  return 60;

-- The credits that a recorded minute costs.
create or replace function notetaker_price() returns int immutable parallel safe language sql
  return 23;

-- The public skills that a workspace may have.
create or replace function max_public_skills() returns int immutable parallel safe language sql
  return 50;

-- The minutes after which a run of a skill is over that nobody has ended.
create or replace function lost_run_minutes() returns int immutable parallel safe language sql
  return 10;

-- Seconds without a further message after which a burst has ended.
create or replace function burst_seconds() returns int immutable parallel safe language sql
  return 20;

-- Seconds after its first message in which a burst ends.
create or replace function max_burst_seconds() returns int immutable parallel safe language sql
  return 120;

-- The days for which auto replies are kept.
create or replace function auto_reply_days() returns int immutable parallel safe language sql
  return 90;

-- A text as the reports of a provider have it: with the tag in the place of the link of a booking.
create or replace function without_management_links(p_text text) returns text immutable parallel safe language sql
  return regexp_replace(p_text,
    '(?<!\S)\S*\/book\/[^\s/]+\/(manage\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|(confirm|waiting)\/[\w-]{86})',
    '{management_url}', 'gi');

-- Characters of a message that a model reads.
create or replace function max_message_read() returns int immutable parallel safe language sql
  return 8000;

-- The most bookings of a person from pages that are still to come.
create or replace function most_page_bookings() returns int immutable parallel safe language sql
  return 10;

-- The most calendar connections of a member.
create or replace function calendar_connections_limit() returns int immutable parallel safe language sql
  return 20;

-- After this time without a reading, the times of a calendar are not relied on.
create or replace function calendar_stale_after() returns interval immutable parallel safe language sql
  return interval '15 minutes';

-- How often a calendar is read without a notification of its provider.
create or replace function calendar_catch_up() returns interval immutable parallel safe language sql
  return interval '5 minutes';

-- How often a mailbox is read without a report of its provider.
create or replace function mail_catch_up() returns interval immutable parallel safe language sql
  return interval '5 minutes';
