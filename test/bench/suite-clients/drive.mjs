/** Adds an animal, and lists animals twice, by `send(path, options)`, which returns the text of a response that is ok. */
export async function drive(send) {
  const base = process.env.PETS_BASE_URL;
  const headers = { authorization: `Bearer ${process.env.PETS_API_KEY}` };
  const body = JSON.stringify({ name: "Rex", categoryId: 1 });
  const json = { ...headers, "content-type": "application/json" };
  JSON.parse(await send(`${base}/pets`, { method: "POST", headers: json, body }));
  for (let n = 0; n < 2; n += 1) JSON.parse(await send(`${base}/pets`, { method: "GET", headers }));
}
