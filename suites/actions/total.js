let net = 0
for (const price of prices) net += Number(price)
output.net = net.toFixed(2)
output.gross = (net * (1 + rate)).toFixed(2)
