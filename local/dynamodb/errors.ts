import { AwsError } from '../kernel/aws-error';

export const invalid = (text: string): AwsError => new AwsError('ValidationException', text);

export const tableNotFound = (): AwsError => new AwsError('ResourceNotFoundException', 'Requested resource not found');

export const namedTableNotFound = (name: string): AwsError =>
  new AwsError('ResourceNotFoundException', `Requested resource not found: Table: ${name} not found`);

/** The problem that a rule of dynalite found, as the error that the caller receives. */
interface Failure {
  readonly body: { readonly __type: string; readonly message?: string; readonly Message?: string };
}

export function awsErrorOf({ body: { __type, message, Message } }: Failure): AwsError {
  return new AwsError(__type.slice(__type.indexOf('#') + 1), message ?? Message ?? '');
}

export function refuse(problem: Failure | null | undefined): void {
  if (problem) throw awsErrorOf(problem);
}

export const isFailure = (error: unknown): error is Error & Failure => error instanceof Error && 'body' in error;
