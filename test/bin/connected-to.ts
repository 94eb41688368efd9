import { type Connection, connected } from '../../account/connection/connection';

const ENVIRONMENT = {
  AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_REGION: 'us-east-1',
  AWS_MAX_ATTEMPTS: '1',
};

/** Does some work with a connection to an embedded AWS, as an administrator unless the environment says otherwise. */
export async function connectedTo<T>(
  endpointUrl: string,
  work: (aws: Connection) => Promise<T>,
  environment: NodeJS.ProcessEnv = {},
): Promise<T> {
  const before = { ...process.env };
  Object.assign(process.env, ENVIRONMENT, environment);
  try {
    return await connected({ endpointUrl }, work);
  } finally {
    process.env = before;
  }
}
