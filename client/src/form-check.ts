/**
 * What a sign-up form is told of an address: by its syntax, the lists and DNS, and never by its mail host. `unchecked`
 * means that it could not be told in time.
 */
export type FormCheckResult =
  | { result: 'ok' | 'undeliverable' | 'disposable' | 'unchecked' }
  | {
      result: 'typo';
      /** The address with the domain that was most likely meant. */
      did_you_mean: string;
    };

/** A publishable key: it may stand in web pages, and is good for form checks from these alone. */
export type FormKey = {
  /** `mp_pub_…`, the whole key: it is no secret. */
  form_key: string;
  name: string;
  /** The pages it may be used from: scheme, host and port of each. */
  origins: string[];
  checks_per_day: number;
  checks_per_visitor: number;
  created_at: string;
};

export type FormKeyList = { form_keys: FormKey[] };

export type FormKeyRequest = {
  name?: string;
  origins: string[];
  /** 10,000 unless said otherwise. */
  checks_per_day?: number;
  /** 100 unless said otherwise. */
  checks_per_visitor?: number;
};
