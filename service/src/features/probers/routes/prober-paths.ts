export const enrolPath = '/probe/v1/enrol';
export const leasePath = '/probe/v1/lease';
export const reportPath = '/probe/v1/report';
