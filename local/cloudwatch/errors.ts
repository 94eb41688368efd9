import { AwsError } from '../kernel/aws-error';
import { Constraints as RequestConstraints } from '../kernel/constraints';
import { type Page, pageOf } from '../kernel/page';

export const validationError = (message: string): AwsError => new AwsError('ValidationError', message);

export const invalidParameter = (message: string): AwsError => new AwsError('InvalidParameterValue', message);

export const invalidCombination = (message: string): AwsError => new AwsError('InvalidParameterCombination', message);

export const missingParameter = (name: string): AwsError =>
  new AwsError('MissingParameter', `The parameter ${name} is required.`);

export const tooMany = (collection: string, most: number): AwsError =>
  invalidParameter(`The collection ${collection} must not have a size greater than ${most}.`);

export const invalidFormat = (message: string): AwsError => new AwsError('InvalidFormat', message);

export const invalidNextToken = (token: string): AwsError =>
  new AwsError('InvalidNextToken', `NextToken ${token} was not returned by an earlier call`);

export const alarmNotFound = (): AwsError => new AwsError('ResourceNotFound', 'Alarm does not exist', 404);

/** Recorded on AWS: SetAlarmState answers without a message when the alarm does not exist. */
export const alarmToSetNotFound = (): AwsError => new AwsError('ResourceNotFound', '', 404);

export const resourceNotFound = (arn: string): AwsError =>
  new AwsError('ResourceNotFoundException', `The resource ${arn} does not exist`, 404);

export const muteRuleNotFound = (name: string): AwsError =>
  new AwsError('ResourceNotFoundException', `Alarm mute rule ${name} does not exist`, 404);

export const invalidDashboard = (message: string): AwsError => new AwsError('InvalidParameterInput', message);

export const dashboardNotFound = (name: string): AwsError =>
  new AwsError('ResourceNotFound', `Dashboard ${name} does not exist`, 404);

/** Collects the problems of a request's members, and rejects the request with CloudWatch's error. */
export class Constraints extends RequestConstraints {
  constructor() {
    super(validationError);
  }
}

/** The number of items on a page when the request does not say. */
const DEFAULT_PAGE_SIZE = 50;

export function cloudWatchPage<Item>(all: readonly Item[], size = DEFAULT_PAGE_SIZE, nextToken?: string): Page<Item> {
  return pageOf(all, size, nextToken, invalidNextToken);
}
