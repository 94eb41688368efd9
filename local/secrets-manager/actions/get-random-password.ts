import { randomPassword } from '../random-password';
import type { SecretsManagerAction } from './secrets-manager-action';

/** @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetRandomPassword.html */
export const getRandomPassword: SecretsManagerAction<'GetRandomPassword'> = {
  permission: 'secretsmanager:GetRandomPassword',
  resourceOf: () => ({ arn: '*' }),
  run: ({ context }, { input }) => ({ RandomPassword: randomPassword(input, context.random) }),
};
