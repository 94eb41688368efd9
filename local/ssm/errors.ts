import { AwsError } from '../kernel/aws-error';

export function validation(text: string): AwsError {
  return new AwsError('ValidationException', text);
}

/** AWS's own text is empty; this one is ours. */
export function parameterNotFound(name: string): AwsError {
  return new AwsError('ParameterNotFound', `Parameter ${name} not found.`);
}

export function versionNotFound(name: string, selector: string): AwsError {
  return new AwsError(
    'ParameterVersionNotFound',
    `Systems Manager could not find version ${selector} of ${name}. Verify the version and try again.`,
  );
}

export function alreadyExists(): AwsError {
  return new AwsError(
    'ParameterAlreadyExists',
    'The parameter already exists. To overwrite this value, set the overwrite option in the request to true.',
  );
}
