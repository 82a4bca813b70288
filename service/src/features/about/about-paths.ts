/** For owners of mail servers; here only where a contact is set. */
export const aboutPath = '/about-this-host';
