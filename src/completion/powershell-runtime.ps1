$ordinal = [System.StringComparison]::Ordinal
# The text before the cursor; PowerShell's extent ends at the last word, without blanks after it.
$text = $commandAst.Extent.Text
$length = $cursorPosition - $commandAst.Extent.StartOffset
$atNewWord = $length -gt $text.Length
if (-not $atNewWord) { $text = $text.Substring(0, [Math]::Max(0, $length)) }
$pattern = '(?:"[^"]*"?|''[^'']*''?|[^\s"''])+'
$found = @([regex]::Matches($text, $pattern))
# A blank ends a word, except between quotes.
if ($found.Count -gt 0 -and $found[-1].Index + $found[-1].Length -lt $text.Length) { $atNewWord = $true }
$words = @($found | ForEach-Object { $_.Value -replace '["'']', '' })
if ($words.Count -gt 0 -and $words[0] -ceq '&') { $words = @($words | Select-Object -Skip 1) }
$current = ''
if (-not $atNewWord -and $words.Count -gt 0) { $current = $words[-1] }
$before = $words
if (-not $atNewWord) { $before = @($words | Select-Object -First ([Math]::Max(0, $words.Count - 1))) }

$command = 'pets'
$given = @()
$pending = $null
$dashes = $false
$taken = 0
$find = {
    param($form)
    $table[$command].Options | Where-Object { $_.Long -ceq $form -or ($_.Short -and $_.Short -ceq $form) } |
        Select-Object -First 1
}
foreach ($word in @($before | Select-Object -Skip 1)) {
    if ($pending) { $pending = $null; continue }
    if ($dashes) {
        if ($table[$command].Argument -ceq 'command' -and $taken -eq 0 -and $word -ceq 'pets') {
            $command = 'pets'
            $given = @()
            $dashes = $false
        } else { $taken++ }
        continue
    }
    if ($word -ceq '--') { $dashes = $true; continue }
    if ($word -cmatch '^--') {
        $option = & $find ($word -replace '=.*$', '')
        if ($option) {
            $given += $option.Long
            if ($option.Value -and -not $word.Contains('=')) { $pending = $option.Value }
        }
        continue
    }
    if ($word -cmatch '^-[^0-9]') {
        for ($place = 1; $place -lt $word.Length; $place++) {
            $option = & $find "-$($word[$place])"
            if (-not $option) { continue }
            $given += $option.Long
            if ($option.Value) {
                if ($place -eq $word.Length - 1) { $pending = $option.Value }
                break
            }
        }
        continue
    }
    if ($taken -eq 0 -and @($table.Keys) -ccontains "$command $word") { $command = "$command $word" }
    else { $taken++ }
}

$results = New-Object System.Collections.ArrayList
# PowerShell replaces $wordToComplete: in a word with commas, only the part after the last one.
$cut = 0
if ($current.EndsWith($wordToComplete, $ordinal)) { $cut = $current.Length - $wordToComplete.Length }
$offer = {
    param($candidate, $kind, $description)
    if (-not $candidate.StartsWith($current, $ordinal)) { return }
    if (-not $description) { $description = $candidate }
    $inserted = $candidate.Substring($cut)
    [void]$results.Add([System.Management.Automation.CompletionResult]::new($inserted, $candidate, $kind, $description))
}
$profiles = {
    $program = Get-Command pets -CommandType Application, ExternalScript -ErrorAction Ignore | Select-Object -First 1
    if (-not $program) { return }
    $exitCode = $global:LASTEXITCODE
    $set = @(Get-ChildItem env: | Where-Object { @('PETS_API_KEY', 'PETS_BASE_URL', 'PETS_MAX_WAIT', 'PETS_PROFILE', 'PETS_TIMEOUT') -contains $_.Name })
    try {
        foreach ($variable in $set) { Set-Item -LiteralPath "env:$($variable.Name)" '' }
        $null | & $program profile list --output tsv --fields name 2>$null | Select-Object -Skip 1 |
            Where-Object { $_ -cmatch '^[A-Za-z0-9][A-Za-z0-9._-]*$' }
    } catch {
    } finally {
        foreach ($variable in $set) { Set-Item -LiteralPath "env:$($variable.Name)" $variable.Value }
        $global:LASTEXITCODE = $exitCode
    }
}
$offerValues = {
    param($source, $prefix)
    $value = $current.Substring($prefix.Length)
    if ($source -ceq 'files') {
        foreach ($file in [System.Management.Automation.CompletionCompleters]::CompleteFilename($value)) {
            [void]$results.Add([System.Management.Automation.CompletionResult]::new(
                "$prefix$($file.CompletionText)".Substring($cut), $file.ListItemText, $file.ResultType, $file.ToolTip))
        }
        return
    }
    $choices = @()
    if ($source -ceq 'profiles') { $choices = @(& $profiles) }
    $source = $sources[$source]
    $head = ''
    $end = ''
    if ($source) {
        $choices = $source.Words
        $end = $source.End
        if ($source.List) { $head = $value.Substring(0, $value.LastIndexOf(',') + 1) }
    }
    foreach ($choice in $choices) {
        $separator = $end
        if (-not $separator) { $separator = ',' }
        if (",$head".IndexOf(",$choice$separator", $ordinal) -ge 0) { continue }
        & $offer "$prefix$head$choice$end" 'ParameterValue' $choice
    }
}

$node = $table[$command]
if ($pending) { & $offerValues $pending '' }
elseif ($dashes) {
    if ($node.Argument -ceq 'command') {
        if ($taken -eq 0) { return [System.Management.Automation.CompletionCompleters]::CompleteCommand($current) }
        & $offerValues 'files' ''
    } elseif ($node.Argument -and $taken -eq 0) { & $offerValues $node.Argument '' }
} elseif ($current -cmatch '^--[^=]*=') {
    $option = & $find $Matches[0].TrimEnd('=')
    if ($option -and $option.Value) { & $offerValues $option.Value $Matches[0] }
} elseif ($current.StartsWith('-', $ordinal)) {
    foreach ($option in $node.Options) {
        if ($given -ccontains $option.Long -and -not $option.Repeats) { continue }
        & $offer $option.Long 'ParameterName' $option.Description
        if ($option.Short) { & $offer $option.Short 'ParameterName' $option.Description }
    }
    for ($place = 1; $place -lt $current.Length - 1; $place++) {
        if ($current.StartsWith('--', $ordinal)) { break }
        $option = & $find "-$($current[$place])"
        if ($option -and $option.Value) {
            & $offerValues $option.Value $current.Substring(0, $place + 1)
            break
        }
    }
} elseif ($taken -eq 0) {
    foreach ($word in $node.Subcommands) { & $offer $word.Name 'ParameterValue' $word.Description }
    if ($node.Argument -and $node.Argument -cne 'command') { & $offerValues $node.Argument '' }
}
# With no result at all, PowerShell would offer files.
if ($results.Count -eq 0) { return '' }
$results
