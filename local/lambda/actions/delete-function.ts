import type { DeleteFunctionRequest, DeleteFunctionResponse } from '@aws-sdk/client-lambda';
import { conflict, invalidParameter } from '../errors';
import { LATEST } from '../function/function-configuration';
import { onFunction } from './lambda-action';

/** Of a function that is gone, mappings stay, and find nobody to invoke. */
export const deleteFunction = onFunction<DeleteFunctionRequest, DeleteFunctionResponse>(
  'DeleteFunction',
  ({ deployed, qualifier }, _input, { functions }) => {
    if (qualifier === LATEST) {
      throw invalidParameter('$LATEST version cannot be deleted without deleting the function.');
    }
    if (qualifier === undefined) functions.delete(deployed);
    else {
      const users = deployed.aliases.of(qualifier).map(({ arn }) => arn);
      if (users.length > 0) throw conflict(`Version ${qualifier} is in use by ${users.join(', ')}.`);
      deployed.deleteVersion(qualifier);
    }
    return {};
  },
);
