export { isObject, type JsonObject } from '../../policy/json-members';
export { jsonOrUndefined, jsonProblem, parseJson } from '../../policy/json-text';
