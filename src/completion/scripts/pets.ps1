# PowerShell completion for pets; see `pets completion --help` for how to install it.
Register-ArgumentCompleter -Native -CommandName 'pets' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    Set-StrictMode -Off
    $ErrorActionPreference = 'Continue'
    $program = Get-Command pets -CommandType Application, ExternalScript -ErrorAction Ignore | Select-Object -First 1
    if (-not $program) { return '' }
    # The text before the cursor; PowerShell's extent ends at the last word, without blanks after it.
    $text = $commandAst.Extent.Text
    $length = $cursorPosition - $commandAst.Extent.StartOffset
    if ($length -lt $text.Length) { $text = $text.Substring(0, [Math]::Max(0, $length)) } else { $text = $text.PadRight($length) }
    $words = @([regex]::Matches($text, '(?:"[^"]*"?|''[^'']*''?|[^\s"''])+') | ForEach-Object { $_.Value -replace '["'']', '' })
    if ($words.Count -gt 0 -and $words[0] -ceq '&') { $words = @($words | Select-Object -Skip 1) }
    $current = ''
    if ($text -notmatch '\s$' -and $words.Count -gt 1) {
        $current = $words[-1]
        $words = @($words | Select-Object -First ($words.Count - 1))
    }
    $before = @($words | Select-Object -Skip 1)
    $exitCode = $global:LASTEXITCODE
    $lines = @($null | & $program __complete powershell @before ".$current" 2>$null)
    $global:LASTEXITCODE = $exitCode
    $kind, $prefix = "$($lines | Select-Object -First 1)" -split ' ', 2
    $results = @()
    if ($kind -ceq 'files') {
        foreach ($file in [System.Management.Automation.CompletionCompleters]::CompleteFilename($current.Substring($prefix.Length))) {
            $results += [System.Management.Automation.CompletionResult]::new("$prefix$($file.CompletionText)", $file.ListItemText, $file.ResultType, $file.ToolTip)
        }
    } else {
        foreach ($line in @($lines | Select-Object -Skip 1)) {
            $name, $description = $line -split "`t", 2
            if (-not $description) { $description = $name }
            # Without quotes, commas would make an array.
            $word = if ($name.Contains(',')) { "'$name'" } else { $name }
            $results += [System.Management.Automation.CompletionResult]::new($word, $name, 'ParameterValue', $description)
        }
    }
    # With no result at all, PowerShell would offer files.
    if ($results.Count -eq 0) { return '' }
    $results
}
