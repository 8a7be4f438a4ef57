-- Events of one record are in the order of its versions: see event_position.
alter table outbox alter column xid set default event_position();
