import { parseArn } from '../../../policy/arn';
import { arnIn, type Place } from '../../kernel/place';

/** A function by name, with the version or alias asked for. */
export interface FunctionName {
  readonly name: string;
  readonly qualifier: string | undefined;
}

/**
 * Reads any form in which AWS lets one name a function: `name`, `name:alias`, `account:function:name`, an ARN.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html#lambda-Invoke-request-FunctionName
 */
export function parseFunctionName(text: string): FunctionName {
  const resource = parseArn(text)?.resource ?? text.replace(/^\d{12}:/, '');
  const [name = '', qualifier] = resource.replace(/^function:/, '').split(':');
  return { name, qualifier };
}

/** @param qualifier a version or an alias. @default none */
export function functionArn(place: Place, name: string, qualifier?: string): string {
  return qualified(arnIn(place, 'lambda', `function:${name}`), qualifier);
}

/** An ARN, or a name, with the version or alias behind it. */
export function qualified(nameOrArn: string, qualifier: string | undefined): string {
  return qualifier === undefined ? nameOrArn : `${nameOrArn}:${qualifier}`;
}

/** Whether a qualifier names an alias: versions are numbers, or `$LATEST`. */
export function isAliasName(qualifier: string): boolean {
  return qualifier !== '$LATEST' && !/^\d+$/.test(qualifier);
}
