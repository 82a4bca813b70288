/** For owners of mail servers; exists only if a contact is set. */
export const aboutPath = '/about-this-host';
