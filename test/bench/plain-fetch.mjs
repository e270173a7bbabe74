// The same with fetch.
const { PETS_BASE_URL, PETS_API_KEY } = process.env;
const headers = { authorization: `Bearer ${PETS_API_KEY}` };
const response = await fetch(`${PETS_BASE_URL}/pets`, { headers });
console.log(JSON.stringify(await response.json()));
