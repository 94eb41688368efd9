import { type FunctionConfiguration, LambdaClient, paginateListFunctions } from '@aws-sdk/client-lambda';
import type { Connection } from './connection';

/** Every function of the Region, as it is configured. It takes the permission `lambda:ListFunctions`. */
export async function allFunctions(aws: Connection): Promise<FunctionConfiguration[]> {
  const found: FunctionConfiguration[] = [];
  const pages = paginateListFunctions({ client: aws.client(LambdaClient) }, {});
  for await (const { Functions = [] } of pages) found.push(...Functions);
  return found;
}

/** A variable of the function's environment. */
export function variableOf({ Environment }: FunctionConfiguration, name: string): string | undefined {
  return Environment?.Variables?.[name];
}

/** Where a function logs. */
export function logGroupNameOf({ FunctionName: name = '', LoggingConfig }: FunctionConfiguration): string {
  return LoggingConfig?.LogGroup ?? `/aws/lambda/${name}`;
}

/**
 * Lambda tells nothing of an environment whose key the caller may not use.
 * @param what the kind of function that is looked for: `relay`
 */
export function unreadableWarnings(functions: readonly FunctionConfiguration[], what: string): string[] {
  const names = functions.filter(({ Environment }) => Environment?.Error).map(({ FunctionName }) => FunctionName);
  if (names.length === 0) return [];
  return [
    `a ${what} among these would not be seen, for their environment variables are encrypted with a key that you may not use ` +
      `(kms:Decrypt): ${names.join(', ')}`,
  ];
}
