/** The facts on `/about-this-host`: the names under which this host asks, and the contact. */
export type AboutHost = {
  /** In lower case. */
  heloNames: readonly string[];
  mailFrom: string;
  /** A mail address, or an https URL. */
  contact: string;
};

export type AboutHttp = {
  /** Absent if the operator names no contact. */
  about?: AboutHost | undefined;
};
